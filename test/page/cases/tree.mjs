import { deepEqual, equal } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const HOME = '/home/user'

export const treeCases = [
  {
    name: 'files and folders are made, renamed, moved and deleted in the tree',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.menu(`${HOME}/notes`, 'New folder')
      await person.names('deep')
      await person.row(`${HOME}/notes/deep`)
      await person.menu(`${HOME}/notes/deep`, 'New file')
      await person.names('a b.txt')
      await person.row(`${HOME}/notes/deep/a b.txt`)
      await person.reads('#editor-area .tab-label', 'a b.txt')
      await person.menu(`${HOME}/notes/deep/a b.txt`, 'Rename')
      await person.names('c.txt')
      await person.row(`${HOME}/notes/deep/c.txt`)
      await person.row(`${HOME}/notes/deep/a b.txt`, true)
      equal(await person.runs('cd notes/deep; ls; echo text > c.txt; touch d.txt; cd'), 'c.txt')
      await person.row(`${HOME}/notes/deep/d.txt`)
      await dragRow(person, `${HOME}/notes/deep/d.txt`, `${HOME}/data`)
      await person.row(`${HOME}/data/d.txt`)
      equal(await person.runs('mv data/d.txt notes/deep; ls data'), 'planets.csv')
      await person.row(`${HOME}/notes/deep/d.txt`)
      await person.menu(`${HOME}/notes/deep/d.txt`, 'Rename')
      await person.names('c.txt')
      await person.reads('.toast-error', 'Choose another name.')
      await person.menu(`${HOME}/notes/deep/d.txt`, 'Rename')
      await person.sees('a field for the name', () => document.activeElement?.classList.contains('tree-input'))
      await person.press('Escape')
      await person.sees('the row again', () => document.activeElement?.dataset.path?.endsWith('/d.txt') === true)
      await person.menu(`${HOME}/notes/deep`, 'Delete')
      await person.reads('dialog', 'Delete deep?')
      await person.clickNamed('Cancel')
      await person.row(`${HOME}/notes/deep/c.txt`)
      await person.menu(`${HOME}/notes/deep`, 'Delete')
      await person.clickNamed('Delete')
      await person.row(`${HOME}/notes/deep`, true)
      equal(await person.runs('ls notes'), 'logo.svg  moons.md')
    },
  },
  {
    name: 'what a line does to the files is seen in the tree',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs('mkdir made; touch made/x; ln -s made/x link')
      await person.click(`.tree-row[data-path="${HOME}/made"]`)
      await person.row(`${HOME}/made/x`)
      await person.row(`${HOME}/link`)
      await person.runs('rm -r made link')
      await person.row(`${HOME}/made`, true)
      await person.row(`${HOME}/link`, true)
    },
  },
  {
    name: 'files are uploaded, with a question where names are taken, and downloaded again',
    run: async ({ fresh, url, downloads, name }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      const folder = join(downloads, 'source')
      mkdirSync(folder, { recursive: true })
      const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 31) % 251))
      writeFileSync(join(folder, `${name} big.bin`), bytes)
      writeFileSync(join(folder, 'small.txt'), 'one\n')
      await upload(person, `${HOME}/data`, [join(folder, `${name} big.bin`), join(folder, 'small.txt')])
      await person.reads('.toast-success', 'Uploaded 2 files')
      await person.row(`${HOME}/data/${name} big.bin`)
      equal(await person.runs(`wc -c < 'data/${name} big.bin'; cat data/small.txt; ls -A data | wc -l`), '3000000\none\n3')
      writeFileSync(join(folder, 'small.txt'), 'two\n')
      await upload(person, `${HOME}/data`, [join(folder, 'small.txt')])
      await person.clickNamed('Keep both')
      await person.row(`${HOME}/data/small 2.txt`)
      await upload(person, `${HOME}/data`, [join(folder, 'small.txt')])
      await person.clickNamed('Replace')
      await person.reads('.toast-success', 'Uploaded small.txt')
      await person.shows('')
      equal(await person.runs('cat data/small.txt data/small\\ 2.txt'), 'two\ntwo')
      await person.menu(`${HOME}/data/${name} big.bin`, 'Download')
      equal(bytes.equals(await downloaded(join(downloads, `${name} big.bin`), 3_000_000)), true)
    },
  },
  {
    name: 'a folder is downloaded as an archive that tar reads',
    run: async ({ fresh, url, downloads }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      const long = `${'long-'.repeat(24)}ü.txt`
      await person.runs(`mkdir -p pack/empty; echo hi > pack/${long}; ln -s ${long} pack/link; chmod 600 pack/${long}`)
      await person.menu(`${HOME}/pack`, 'Download as .tar')
      const file = join(downloads, 'pack.tar')
      await downloaded(file, 1024)
      const { stdout, stderr, status } = spawnSync('tar', ['-tvf', file], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } })
      equal(stderr, '')
      equal(status, 0)
      const listed = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.replace(/ +\d+ \S+ \S+ /, ' '))
      deepEqual(listed, [
        'drwxr-xr-x user/user pack/',
        'drwxr-xr-x user/user pack/empty/',
        `lrwxrwxrwx user/user pack/link -> ${long}`,
        `-rw------- user/user pack/${long}`,
      ])
      equal(
        spawnSync('tar', ['-xOf', file, `pack/${long}`], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } }).stdout,
        'hi\n',
      )
    },
  },
  {
    name: 'files that are dropped on the tree come in; on the terminal their paths are inserted, too',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await drop(person, `.tree-row[data-path="${HOME}/data"]`, 'dropped one.txt', 'in the tree\n')
      await person.row(`${HOME}/data/dropped one.txt`)
      await person.runs('cd notes')
      await drop(person, '#terminal-views', "it's.txt", 'in the terminal\n')
      await person.shows(`/home/user/notes/it'\\''s.txt`)
      await person.press('Control+a')
      await person.keys.type('cat ')
      await person.press('Enter')
      await person.shows('\nin the terminal\n')
      await person.prompt()
      equal(await person.runs("cat '../data/dropped one.txt'"), 'in the tree')
    },
  },
  {
    name: 'a folder of the machine that is dropped comes in with all below it',
    only: 'chromium',
    run: async ({ fresh, url, downloads }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      const folder = join(downloads, 'dropped-folder')
      mkdirSync(join(folder, 'inner/empty'), { recursive: true })
      writeFileSync(join(folder, 'top.txt'), 'top\n')
      writeFileSync(join(folder, 'inner/below.txt'), 'below\n')
      const row = await person.page.$(`.tree-row[data-path="${HOME}/notes"]`)
      const { x, y, width, height } = await row.boundingBox()
      const session = await person.page.createCDPSession()
      const data = { items: [], files: [folder], dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop']) {
        await session.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data })
      }
      await person.reads('.toast-success', 'Uploaded 2 files')
      equal(
        await person.runs('find notes/dropped-folder | sort'),
        ['', '/inner', '/inner/below.txt', '/inner/empty', '/top.txt'].map((below) => `notes/dropped-folder${below}`).join('\n'),
      )
    },
  },
  {
    name: 'a folder of the machine is mounted, and mounted again at the next visit',
    only: 'chromium',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      // The dialog is the browser's and can't be driven; the folder it would give is a real one.
      await person.page.evaluateOnNewDocument(() => {
        globalThis.showDirectoryPicker = async () => {
          const root = await navigator.storage.getDirectory()
          return root.getDirectoryHandle('project', { create: true })
        }
      })
      await person.open(url)
      await person.clickNamed('More file actions')
      await person.clickNamed('Open a folder of this machine')
      await person.row('/mnt/project')
      equal(await person.runs('cd /mnt/project; echo real > file.txt; ls; df . | tail -1 | wc -l'), 'file.txt\n1')
      await person.click('.tree-row[data-path="/mnt/project"]')
      await person.row('/mnt/project/file.txt')
      await person.reload()
      await person.row('/mnt/project')
      equal(await person.runs('pwd; cat file.txt; cd'), '/mnt/project\nreal')
      await person.menu('/mnt/project', 'Let go of this folder')
      await person.row('/mnt/project', true)
      equal(await person.runs('ls /mnt/project/file.txt 2>&1 | grep -o "No such.*"'), 'No such file or directory')
    },
  },
]

async function upload(person, folder, files) {
  await person.menu(folder, 'Upload files here')
  const chooser = await person.page.$('#file-chooser')
  await chooser.uploadFile(...files)
}

/** Drags a row onto another one. */
function dragRow(person, from, to) {
  return person.page.evaluate(
    (...paths) => {
      const [source, target] = paths.map((path) => document.querySelector(`.tree-row[data-path="${path}"]`))
      const dataTransfer = new DataTransfer()
      const send = (element, type) => element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }))
      send(source, 'dragstart')
      send(target, 'dragover')
      send(target, 'drop')
    },
    from,
    to,
  )
}

/** What a download holds when it is complete. */
async function downloaded(file, atLeast) {
  for (const end = Date.now() + 15_000; Date.now() < end; await pause(50)) {
    if (!existsSync(file) || existsSync(`${file}.part`)) continue
    const bytes = readFileSync(file)
    if (bytes.length >= atLeast) return bytes
  }
  throw new Error(`${file} was not downloaded`)
}

/** Drops a file that the page itself made: the browser gives it to the page as any other. */
export function drop(person, selector, name, text) {
  return person.page.evaluate(
    (where, fileName, content) => {
      const target = document.querySelector(where)
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([content], fileName))
      for (const type of ['dragenter', 'dragover', 'drop']) {
        target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }))
      }
    },
    selector,
    name,
    text,
  )
}
