import type { FileSystem } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import { HOME } from './open-workspace.ts'

const README = `# Your workspace

Everything here lives in this browser: files, sessions, variables, functions and
history are there again after a reload, and in every tab of this page.

Try in the terminal:

    cat data/planets.csv | sort -t, -k2 -n | head -3
    bash scripts/report.sh
    square() { echo $(($1 * $1)); }
    for n in 1 2 3; do square $n; done
    grep -rn moon . | sort
    find . -name '*.md' -size -2k

Drop files or folders on the list at the left to bring them in.
`

const PLANETS = `name,moons,radius_km
Mercury,0,2440
Venus,0,6052
Earth,1,6371
Mars,2,3390
Jupiter,95,69911
Saturn,146,58232
Uranus,28,25362
Neptune,16,24622
`

const REPORT = `#!/bin/bash
# How many moons there are, and who has most of them.
cd "$(dirname "$0")/../data" || exit

total=0
while IFS=, read -r name moons _; do
  [[ $name == name ]] || ((total += moons))
done < planets.csv
echo "moons in all: $total"

tail -n +2 planets.csv | sort -t, -k2 -nr | head -3 |
  while IFS=, read -r name moons _; do
    bar=$(printf '%*s' $((moons / 8 + 1)) '')
    printf '  %-8s %4d  %s\\n' "$name" "$moons" "\${bar// /#}"
  done
`

const NOTES = `# Notes

- The moon of Earth has no name of its own.
- Saturn has the most moons; see data/planets.csv.
`

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="256" height="256">
  <rect width="32" height="32" rx="7" fill="#12332f"/>
  <path d="M8 17a8 8 0 0 1 16 0z" fill="#f2b45c"/>
  <path d="M5 20.5h22M8.5 24h15M12 27.5h8" stroke="#5fd0c5" stroke-width="2" stroke-linecap="round"/>
</svg>
`

const FOLDERS = ['/home', HOME, '/tmp', '/mnt', `${HOME}/data`, `${HOME}/scripts`, `${HOME}/notes`]
const FILES: readonly (readonly [path: string, text: string, mode: number])[] = [
  ['README.md', README, 0o644],
  ['data/planets.csv', PLANETS, 0o644],
  ['scripts/report.sh', REPORT, 0o755],
  ['notes/moons.md', NOTES, 0o644],
  ['notes/logo.svg', LOGO, 0o644],
]

/** Puts a few files into a workspace that is new; false where it isn't. What is there already stays. */
export async function writeExamples(fs: FileSystem): Promise<boolean> {
  if (await exists(fs, HOME)) return false
  for (const folder of FOLDERS) await unlessThere(() => fs.mkdir(folder))
  for (const [path, text, mode] of FILES) {
    await unlessThere(() => fs.write(`${HOME}/${path}`, new TextEncoder().encode(text), { exclusive: true, mode }))
  }
  await fs.sync()
  return true
}

async function exists(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.stat(path)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Another tab may be as new. */
async function unlessThere(make: () => unknown): Promise<void> {
  try {
    await make()
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
