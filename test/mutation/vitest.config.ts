import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { NearestFirst } from './nearest-first.ts'

/** Unit tests and seeds of the simulation decide whether a mutant survives. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/{unit,mutation}/**/*.test.ts'],
    // It reads the built page, which Stryker does not copy.
    exclude: ['test/unit/console/client/bundle.test.ts'],
    // As in vitest.config.ts: the files of one worker share what they import.
    isolate: false,
    sequence: { sequencer: NearestFirst },
    silent: true,
    testTimeout: 10_000,
  },
})
