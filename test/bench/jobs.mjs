// What it costs to stage, review, apply, keep, fork, suspend and resume: in memory, and on a disk beside `cp -r` and git over the same files.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const library = join(dirname(fileURLToPath(import.meta.url)), '../../dist/platforms/node/index.js')
/** Files on the disk and in memory; every directory has as many as this. */
const ON_DISK = 5_000
const IN_MEMORY = 50_000
const A_DIRECTORY = 50
/** Files that a Job changes. */
const CHANGED = 100

/** Prints a table of each; every number is the median of the runs. */
export async function printJobs(runs = 5) {
  const mirage = await import(library)
  await onDisk(mirage, runs)
  await inMemory(mirage, runs)
}

async function onDisk({ DiskWorkspaceStateStore, HostFileSystem, hostExecutor, Workspace }, runs) {
  heading(`${ON_DISK} files on a disk, ${CHANGED} changed`)
  const folder = mkdtempSync(join(tmpdir(), 'mirage-bench-jobs-'))
  const source = join(folder, 'source')
  const sh = (line) => execFileSync('sh', ['-ec', line], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  mkdirSync(source)
  for (const [path, text] of files(ON_DISK)) {
    mkdirSync(join(source, dirname(path)), { recursive: true })
    writeFileSync(join(source, path), text)
  }
  const change = `for i in $(seq 0 ${CHANGED - 1}); do echo changed >> d$i/f1.txt; done`
  const git = 'git -c user.name=b -c user.email=b@localhost -c commit.gpgsign=false'
  try {
    await row('cp -r', runs, () => sh('cp -r source copy'), { after: () => sh('rm -rf copy') })
    sh(`cd source; git init -q; git add -A; ${git} commit -qm all`)
    await row('git worktree add', runs, () => sh('cd source; git worktree add -q ../tree'), {
      after: () => sh('cd source; git worktree remove --force ../tree; git branch -qD tree'),
    })
    sh(`cd source; ${change}; git diff > ../changes.patch; git checkout -q .`)
    await row('git apply', runs, () => sh('cd source; git apply ../changes.patch'), { after: () => sh('cd source; git checkout -q .') })
    sh('rm -rf source/.git')

    const store = new DiskWorkspaceStateStore({ root: join(folder, 'state') })
    const ws = new Workspace(
      { '/w': new HostFileSystem({ root: source }) },
      { store, ownsStore: true, executors: { host: hostExecutor() } },
    )
    for (const executor of ['host', 'machine']) {
      const staged = (command) => ws.jobs.run({ command, stage: true, executor, cwd: '/w' })
      await row(`${executor}: a staged Job that does nothing`, runs, () => staged('true'))
      await row(`${executor}: one that changes them`, runs, () => staged(change))
      let job
      const before = async () => {
        job = await staged(change)
      }
      await row(`${executor}: review`, runs, () => job.review(), { before })
      await row(`${executor}: checkpoint`, runs, () => job.checkpoints.create(), { before })
      await row(`${executor}: fork that does nothing`, runs, async () => (await job.fork({ command: 'true' })).ended, { before })
      await row(`${executor}: apply`, runs, () => job.apply(), { before })
    }
    let kept
    const checkpoint = async () => {
      kept = await ws.checkpoints.create()
    }
    await row('checkpoint of the workspace, the first', 1, checkpoint)
    await row('another one, after 10 changes', runs, checkpoint, { before: () => touch(ws) })
    await row('restore, 10 changes back', runs, () => ws.checkpoints.restore(kept.id), { before: () => touch(ws) })
    await ws.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function inMemory({ RAMFileSystem, Workspace }, runs) {
  heading(`${IN_MEMORY} files in memory, ${CHANGED} changed`)
  const data = new RAMFileSystem({ files: Object.fromEntries(files(IN_MEMORY).map(([path, text]) => [`/${path}`, text])) })
  const ws = new Workspace({ '/w': data })
  const change = `for i in $(seq 0 ${CHANGED - 1}); do echo changed >> d$i/f1.txt; done`
  const staged = (command) => ws.jobs.run({ command, stage: true, cwd: '/w' })
  let job
  const before = async () => {
    job = await staged(change)
  }
  await row('cp -r in the shell', runs, () => ws.shell('cp -r /w /tmp/copy'), { after: () => ws.shell('rm -r /tmp/copy') })
  await row('a staged Job that does nothing', runs, () => staged('true'))
  await row('one that changes them', runs, () => staged(change))
  await row('review', runs, () => job.review(), { before })
  await row('checkpoint of the Job', runs, () => job.checkpoints.create(), { before })
  await row('fork of the Job, which does nothing', runs, async () => (await job.fork({ command: 'true' })).ended, { before })
  await row('apply', runs, () => job.apply(), { before })
  await row('apply of 10000 files', runs, () => job.apply(), {
    before: async () => {
      job = await staged('for d in d{0..199}; do for f in $d/*; do echo changed >> $f; done; done')
    },
  })

  const running = async () => {
    job = await ws.jobs.start({ command: 'while :; do x=$((x + 1)); sleep 0.001; done', stage: true, cwd: '/w' })
  }
  const kill = async () => {
    await job.kill()
    await job.ended
  }
  await row('suspend', runs, () => job.suspend(), { before: running })
  const suspended = async () => {
    await running()
    await job.suspend()
  }
  await row('resume', runs, () => job.resume(), { before: suspended, after: kill })

  let kept
  const checkpoint = async () => {
    kept = await ws.checkpoints.create()
  }
  await row('checkpoint of the workspace, the first', 1, checkpoint)
  await row('another one, after 10 changes', runs, checkpoint, { before: () => touch(ws) })
  await row('restore', runs, () => ws.checkpoints.restore(kept.id), { before: () => touch(ws) })
  await row('fork of the workspace', runs, () => ws.fork())
  await row('fork of a checkpoint', runs, () => ws.fork({ checkpoint: kept.id }))
  let archive
  const snapshot = async () => {
    archive = await ws.snapshot()
  }
  await row('archive', Math.min(runs, 3), snapshot)
  await row('load', Math.min(runs, 3), () => Workspace.load(archive))
  await ws.close()
}

/** Paths and texts, always the same. */
function files(count) {
  return Array.from({ length: count }, (_, n) => [
    `d${Math.floor(n / A_DIRECTORY)}/f${n % A_DIRECTORY}.txt`,
    `file ${n}\n${'a line of text\n'.repeat(20)}`,
  ])
}

let touched = 0
function touch(ws) {
  touched += 1
  return ws.shell(`for i in {1..10}; do echo ${touched} > /w/d$i/f1.txt; done`)
}

async function row(name, runs, run, { before = () => undefined, after = () => undefined } = {}) {
  const times = []
  for (let n = 0; n < runs; n++) {
    await before()
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
    await after()
  }
  times.sort((a, b) => a - b)
  const shown = (ms) => ms.toFixed(ms < 10 ? 2 : 0).padStart(10)
  process.stdout.write(`${name.padEnd(44)}${shown(times[times.length >> 1])}${shown(times.at(-1))}\n`)
}

function heading(title) {
  process.stdout.write(`\n${title.padEnd(44)}${'ms'.padStart(10)}${'worst'.padStart(10)}\n`)
}
