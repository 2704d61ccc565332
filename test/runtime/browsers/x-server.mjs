import { rmSync } from 'node:fs'
import { processGroup } from '../../browsers/process-group.mjs'

/** A screen that nobody sees, on a number that the server itself finds free. */
export async function startXServer() {
  const args = ['-displayfd', '1', '-screen', '0', '1280x800x24', '-nolisten', 'tcp', '-noreset']
  const server = processGroup('Xvfb', args, { env: process.env, stdout: 'pipe' })
  const number = await Promise.race([firstLine(server.child.stdout), server.died])
  const kill = () => {
    server.kill()
    for (const left of [`/tmp/.X${number}-lock`, `/tmp/.X11-unix/X${number}`]) rmSync(left, { force: true })
  }
  return { display: `:${number}`, kill }
}

async function firstLine(stream) {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n')) return text.split('\n')[0].trim()
  }
  throw new Error('Xvfb said no number')
}
