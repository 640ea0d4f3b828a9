import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The unit tests decide whether a mutant survives. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: ['test/unit/**/*.test.ts'], silent: true, testTimeout: 10_000 },
})
