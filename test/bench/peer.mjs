// Installs the peer that the cases are compared with, once, beside the project's own dependencies and not among them.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const PEER = 'just-bash@3.4.2'

/** Where the peer is installed. */
export const peerFolder = resolve(dirname(fileURLToPath(import.meta.url)), '../../.cache/bench-peer')

/** True when the peer is there or could be installed. */
export function installPeer() {
  if (existsSync(join(peerFolder, 'node_modules/just-bash'))) return true
  mkdirSync(peerFolder, { recursive: true })
  writeFileSync(join(peerFolder, 'package.json'), '{"private":true}\n')
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--silent', PEER], { cwd: peerFolder, stdio: 'inherit' })
    return true
  } catch (error) {
    process.stderr.write(`${PEER} could not be installed: ${error.message}\n`)
    return false
  }
}
