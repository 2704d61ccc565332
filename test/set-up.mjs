// Installs what the tests drive and compare with: on Debian as root at once, elsewhere it says what is missing.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs, and the Debian packages that bring them. */
const PROGRAMS = new Map([
  ['bash', 'bash'],
  ['python3', 'python3'],
  ['curl', 'curl'],
  ['jq', 'jq'],
  ['tar', 'tar'],
  ['chromium', 'chromium'],
  ['firefox-esr', 'firefox-esr'],
  ['WebKitWebDriver', 'webkit2gtk-driver'],
  ['xvfb-run', 'xvfb'],
  ['redis-server', 'redis-server'],
  ['openssl', 'openssl'],
  ['radosgw', 'radosgw'],
  ['ceph-mon', 'ceph-mon'],
  ['ceph-osd', 'ceph-osd'],
])

/** Whether all programs are there in the end; what it does and what is missing is printed. */
export function setUp() {
  const packages = missing().map((program) => PROGRAMS.get(program))
  if (packages.length === 0) return true
  if (process.getuid?.() === 0 && isThere('apt-get')) {
    process.stdout.write(`installing ${packages.join(' ')}\n`)
    apt(['update', '-qq'])
    apt(['install', '-y', '-qq', '--no-install-recommends', ...packages])
  }
  const left = missing()
  if (left.length > 0) {
    const names = left.map((program) => PROGRAMS.get(program)).join(' ')
    process.stdout.write(`missing: ${left.join(', ')}; on Debian: apt-get install ${names}\n`)
  }
  return left.length === 0
}

function missing() {
  return [...PROGRAMS.keys()].filter((program) => !isThere(program))
}

function isThere(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function apt(args) {
  const { status, stdout, stderr } = spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status !== 0) process.stdout.write(`apt-get ${args.join(' ')}\n${stdout}${stderr}`)
}
