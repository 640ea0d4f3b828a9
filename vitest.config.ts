import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// The workers, and the processes that tests start, compile a module only once.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/longshore', import.meta.url))

/** These start the built functions in the process of the tests. They read their settings only once. */
const bundles = [
  'demo',
  'fixes/errors',
  'fixes/findings',
  'log-lines',
  'odd-events',
  'rejected-credentials',
  'time-limits',
].map((name) => `test/integration/${name}.test.ts`)

const plantedBugs = ['test/simulation/planted-bugs/**/*.test.ts']

const project = (name: string, options: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...options },
})

/** The package by its own name, as the examples import it. */
const alias = { '@longshore/longshore': fileURLToPath(new URL('lib/index.ts', import.meta.url)) }

export default defineConfig({
  resolve: { alias },
  test: {
    reporters: ['default', './test/drills/effort-reporter.ts', './test/plain-summary.ts'],
    silent: 'passed-only',
    // Tests wait for servers, so that there is work for one more than there are processors.
    maxWorkers: availableParallelism() + 1,
    // They stop what hangs. No test is as slow on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      // These keep no state in modules that matters to others, so the files of one worker share what they import.
      project('unit', { pool: 'threads', isolate: false }),
      project('infra', { pool: 'threads', isolate: false }),
      project('integration', { isolate: false, exclude: bundles }),
      project('bundles', { include: bundles }),
      project('simulation', { exclude: plantedBugs }),
      project('planted-bugs', { include: plantedBugs }),
      project('drills'),
      project('readers', { isolate: false }),
      project('browser', { isolate: false }),
      project('tools', { isolate: false }),
      // These run in virtual time on stores in memory.
      project('upgrades', { pool: 'threads', isolate: false }),
    ],
  },
})
