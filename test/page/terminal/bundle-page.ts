import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

/** Bundles the page of the tests as an application is bundled; the folder that is to be served. */
export async function bundlePage(): Promise<string> {
  const root = resolve('.cache/page-terminal')
  mkdirSync(root, { recursive: true })
  const entry = resolve('test/page/terminal/page.ts')
  writeFileSync(
    join(root, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>terminal</title><div id="terminal"></div><script type="module" src="${entry}"></script>\n`,
  )
  await build({ configFile: false, root, logLevel: 'error', build: { target: 'es2023', outDir: 'dist', emptyOutDir: true } })
  return join(root, 'dist')
}
