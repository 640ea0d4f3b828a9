import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/{unit,infra,integration,simulation}/**/*.test.ts'],
    reporters: ['dot', './test/plain-summary.ts'],
    silent: 'passed-only',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
