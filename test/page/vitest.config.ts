import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/page/**/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
