import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A group of test files that run under the same conditions. */
export interface TestProject {
  readonly name: string
  readonly about: string
  /** What must be installed or reachable. Without it, tests are skipped. */
  readonly needs?: string
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  /** By default, each file has a process of its own. */
  readonly workers?: 'shared-threads' | 'shared-processes'
  /** Tests take every case of what they repeat. By default, they take some (`test/case-count.ts`). */
  readonly takesEveryCase?: true
}

const root = join(import.meta.dirname, '..')

/** These start the built functions in the process of the tests. They read their settings only once. */
const bundles = ['daily-erasure', 'odd-events', 'time-limits'].map(
  (name) => `test/integration/${name}.test.ts`,
)

/** These need packages. */
const rulePacks = ['cdk-nag', 'compliance', 'control-tower'].map((name) => `test/infra/${name}.test.ts`)

/** These synthesize other configurations than the default one, most of them several. */
const configurations = [
  'athena',
  'configuration-changes',
  'construct',
  'customer-key',
  'domain',
  'network',
  'permissions-boundary',
  'readers',
  'tracing',
  'upgrades',
].map((name) => `test/infra/${name}.test.ts`)

/** These repeat something for many cases. */
const manyCases = globSync('test/{integration,unit}/**/*.test.ts', { cwd: root }).filter((file) =>
  readFileSync(join(root, file), 'utf8').includes('/case-count.ts'),
)

/** These stop, fail or let a rival work at every call of the stores, which some seeds of the simulation do, too. */
const everyCall = manyCases.filter((file) => /(?:-calls|\/crashes|\/races|\/rivals)\.test\.ts$/.test(file))

const plantedBugs = ['test/simulation/planted-bugs/**/*.test.ts']

/**
 * Every test project. They start in this order, so that the longest files are not the last ones to run. The files of
 * shared workers share what they import, and keep no state in modules that matters to others.
 */
export const projects: readonly TestProject[] = [
  { name: 'drills', about: 'resolves each situation of the runbook by what problems and errors name' },
  { name: 'planted-bugs', about: 'checks that the simulation finds known bugs', include: plantedBugs },
  {
    name: 'starts',
    about:
      'starts npm start with each option and fault profile, moves its clock, and ends it with each signal',
  },
  {
    name: 'commands',
    about: 'runs each command against local servers, and as the documentation shows it',
    workers: 'shared-processes',
  },
  {
    name: 'browser',
    about: 'operates the console and the API reference',
    needs: 'Chromium',
    workers: 'shared-processes',
  },
  {
    name: 'readers',
    about: 'reads snapshots, change sets and tables with PyIceberg, PyArrow and DuckDB',
    needs: 'Python 3.11 or later with venv, and a package index',
    workers: 'shared-processes',
  },
  {
    name: 'tools',
    about:
      'runs linters and rule packs, CDK, curl, awscurl and generated clients, checks calls and policies by the models of AWS, and applies the diffs of CONTRIBUTING.md',
    include: ['test/tools/**/*.test.ts', ...rulePacks],
    needs: 'Python 3.11 or later with venv, npm, and package registries',
    workers: 'shared-processes',
  },
  {
    name: 'configurations',
    about: 'checks the templates of many configurations, changes each to each other, and plays upgrades',
    include: configurations,
    workers: 'shared-threads',
  },
  {
    name: 'every-case',
    about:
      'stops, fails or lets a rival work at every call of the stores, and tries more random cases and data',
    include: manyCases,
    workers: 'shared-processes',
    takesEveryCase: true,
  },
  { name: 'bundles', about: 'runs the built functions on embedded services', include: bundles },
  {
    name: 'integration',
    about: 'runs parts of Longshore against local servers',
    exclude: bundles,
    workers: 'shared-processes',
  },
  { name: 'simulation', about: 'simulates some seeds', exclude: plantedBugs },
  {
    name: 'infra',
    about: 'checks the templates',
    exclude: [...rulePacks, ...configurations],
    workers: 'shared-threads',
  },
  // These run in virtual time on stores in memory.
  { name: 'upgrades', about: 'continues what older versions stored', workers: 'shared-threads' },
  {
    name: 'unit',
    about: 'checks decisions and single modules, and the costs on their page',
    include: ['test/unit/**/*.test.ts', 'bench/costs.test.ts'],
    exclude: everyCall,
    workers: 'shared-threads',
  },
]
