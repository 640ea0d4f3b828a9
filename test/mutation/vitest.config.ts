import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Unit tests and seeds of the simulation decide whether a mutant survives. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/{unit,mutation}/**/*.test.ts'],
    // It reads the built page, which Stryker does not copy.
    exclude: ['test/unit/console/page/bundle.test.ts'],
    silent: true,
    testTimeout: 10_000,
  },
})
