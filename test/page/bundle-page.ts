import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

/** Bundles a page of the tests, `test/page/NAME/page.ts`, as an application is bundled; the folder that is to be served. */
export async function bundlePage(name: string, body = ''): Promise<string> {
  const root = resolve(`.cache/page-${name}`)
  mkdirSync(root, { recursive: true })
  const entry = resolve(`test/page/${name}/page.ts`)
  writeFileSync(
    join(root, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>${name}</title>${body}<script type="module" src="${entry}"></script>\n`,
  )
  await build({ configFile: false, root, logLevel: 'error', build: { target: 'es2023', outDir: 'dist', emptyOutDir: true } })
  return join(root, 'dist')
}
