import { defineConfig } from 'vite'

// The reader of YAML goes into the package, in its build for browsers: the one that other runtimes would pick reads the
// environment while it parses, which Deno refuses without a permission. Runs on what tsc has written.
export default defineConfig({
  publicDir: false,
  build: {
    emptyOutDir: false,
    lib: { entry: 'dist/src/config/document.js', fileName: () => 'document.js', formats: ['es'] },
    outDir: 'dist/src/config',
    rolldownOptions: { output: { banner: '/*! Contains yaml 2.9.1, ISC licence, copyright Eemeli Aro. */' } },
    target: 'es2023',
  },
  logLevel: 'warn',
})
