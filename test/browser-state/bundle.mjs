import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const folder = join(dirname(fileURLToPath(import.meta.url)), 'page')

/** The text of the page's one module, from the sources. */
export async function bundlePage() {
  const [{ output }] = await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    resolve: { conditions: ['browser', 'import', 'module'] },
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      lib: { entry: join(folder, 'main.ts'), formats: ['es'], fileName: () => 'page.js' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  return output[0].code
}
