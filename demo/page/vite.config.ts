import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))
const project = resolve(here, '../..')

/** The page imports the package by its public names, as any user does; here they lead to what was built, as the browser condition says. */
function publicNames(): { find: RegExp; replacement: string }[] {
  const { name, exports } = JSON.parse(readFileSync(resolve(project, 'package.json'), 'utf8')) as {
    name: string
    exports: Record<string, string | Record<string, string>>
  }
  return Object.entries(exports).flatMap(([subpath, target]) => {
    const file = typeof target === 'string' ? target : (target.browser ?? target.default)
    return file?.endsWith('.js') ? [{ find: new RegExp(`^${name}${subpath.slice(1)}$`), replacement: resolve(project, file) }] : []
  })
}

export default defineConfig(({ isPreview }) => ({
  root: here,
  // The folder that comes of it runs under any path of any static host.
  base: './',
  resolve: { alias: publicNames() },
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
  build: {
    outDir: resolve(here, 'dist'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
  // The server says where it is.
  logLevel: isPreview === true ? 'info' : 'warn',
}))
