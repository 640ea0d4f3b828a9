import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'
import { projects, type TestProject } from './test/projects.ts'

// The workers, and the processes that tests start, compile a module only once.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/longshore', import.meta.url))

/** The package by its own name, as the examples import it. */
const alias = { '@longshore/longshore': fileURLToPath(new URL('lib/index.ts', import.meta.url)) }

const workers = {
  'shared-threads': { pool: 'threads', isolate: false },
  'shared-processes': { isolate: false },
} as const

const project = ({ name, include, exclude, workers: kind, takesEveryCase }: TestProject) => ({
  extends: true as const,
  test: {
    name,
    include: [...(include ?? [`test/${name}/**/*.test.ts`])],
    ...(exclude && { exclude: [...exclude] }),
    ...(kind && workers[kind]),
    ...(takesEveryCase && { provide: { takesEveryCase } }),
  },
})

export default defineConfig({
  resolve: { alias },
  test: {
    reporters: [
      'default',
      './test/drills/effort-reporter.ts',
      './test/left-out-reporter.ts',
      './test/plain-summary.ts',
    ],
    silent: 'passed-only',
    // Tests wait for servers, so that there is work for one more than there are processors.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // They stop what hangs. No test is as slow on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: projects.map(project),
  },
})
