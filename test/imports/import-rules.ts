/** A path of a folder (with a slash at its end) or of a file; `*` is any one folder. */
type Pattern = string

const shared = [
  'functions/platform/',
  'functions/runtime/',
  'functions/upstream/',
  'functions/http/',
  'stored/',
  'functions/problems/',
  'functions/story/',
  'functions/syncs/',
  'functions/alerts/',
  'functions/task/',
] as const

/** Keys, items and manifests, without the readers of what is stored. */
const items: readonly Pattern[] = [
  'functions/runtime/',
  'stored/*.ts',
  'stored/dynamodb/',
  'stored/pages/',
  'stored/run/',
  'stored/snapshots/',
  'stored/changes/',
  'stored/tables/',
]

/** The tables, names and the settings schema that infrastructure shares with the functions. */
const tables: readonly Pattern[] = [
  'functions/http/lambda-functions.ts',
  'functions/platform/',
  'functions/runtime/environment.ts',
  'functions/runtime/settings.ts',
  'functions/runtime/settings-schema/',
  'functions/runtime/json-object.ts',
  'functions/runtime/pick.ts',
  'functions/runtime/schedule-gap.ts',
  'functions/runtime/next-run.ts',
  'functions/runtime/execution-limit.ts',
  'functions/runtime/slot-wait.ts',
  'functions/runtime/metric-table.ts',
]

/** What programs on the operator's machine share with the functions. */
const functions: readonly Pattern[] = [
  ...shared,
  // The checks are libraries with two users.
  'functions/publisher/check/',
  'functions/publisher/check-set.ts',
  'functions/tables/check/',
]

const programs: readonly Pattern[] = [
  'functions/',
  'stored/',
  'lib/',
  'bin/',
  'longshore.config.ts',
  'operator/',
  'console/',
  'local/',
  'cli/',
]

/**
 * The layers, lowest first: what the files of a folder may import in addition to files of the same folder. An entry lists
 * only what is above it in this table. The first entry whose pattern matches the importing file applies. A file without
 * an entry may import nothing of the repository.
 */
export const allowedImports: readonly (readonly [from: Pattern, to: readonly Pattern[]])[] = [
  ...shared.map((folder, index) => [folder, shared.slice(0, index)] as const),
  // It shares no code with what it checks.
  ['functions/publisher/', [...items, 'functions/upstream/recorded-exchange.ts']],
  ['functions/worker/', shared],
  ['functions/compare/', shared],
  // It shares no code with what writes the values of a table.
  ['functions/tables/check/', [...items, 'functions/task/', 'functions/publisher/check/identity.ts']],
  ['functions/tables/', [...shared, 'functions/publisher/check/evidence.ts']],
  ['functions/proxy/', shared],
  ['functions/sync-api/', shared],
  ['functions/look/', shared],
  // The schema of a run has a member for each that the API returns.
  ['functions/openapi/', [...shared, 'stored/views.ts', 'functions/sync-api/published/published-entity.ts']],
  ['lib/', tables],
  ['bin/', ['lib/']],
  ['longshore.config.ts', ['lib/']],
  ['operator/', [...functions, 'lib/config.ts', 'lib/project.ts']],
  // The page runs in a browser. It formats numbers as the command line does.
  // Types only: the page has none of their code.
  ['console/contract/', [...functions, 'operator/']],
  ['console/client/model/shown-zone.ts', []],
  ['console/client/request.ts', ['console/contract/']],
  ['console/client/model/format.ts', ['console/client/model/shown-zone.ts', 'functions/runtime/format.ts']],
  ['console/client/model/visible-text.ts', ['console/contract/', 'functions/runtime/hidden-characters.ts']],
  ['console/client/model/refusal-texts.ts', ['console/contract/', 'operator/text/review.ts']],
  [
    'console/client/model/actions.ts',
    [
      'console/contract/',
      'console/client/model/format.ts',
      'console/client/model/shown-zone.ts',
      'console/client/request.ts',
      'operator/text/clock-time.ts',
      'operator/text/shell-word.ts',
    ],
  ],
  [
    'console/client/model/entity-summary.ts',
    ['console/contract/', 'console/client/model/format.ts', 'operator/text/next-run.ts'],
  ],
  ['console/client/', ['console/contract/', 'stored/run/run-id.ts']],
  ['console/', [...functions, 'lib/config.ts', 'operator/']],
  ['local/', [...functions, 'lib/', 'operator/', 'console/']],
  [
    'cli/',
    [
      ...functions,
      'lib/config.ts',
      'lib/config/',
      'lib/project.ts',
      'lib/feature-flags.ts',
      'operator/',
      'console/',
    ],
  ],
  ['examples/', []],
  ['scripts/', programs],
  ['test/', [...programs, 'scripts/', 'examples/']],
  ['bench/', [...programs, 'scripts/', 'test/']],
  ['vitest.config.ts', ['test/longest-first.ts', 'test/projects.ts']],
]

/**
 * The folders inside a folder, lowest first: each imports only from those before it. Files beside them have no order, but
 * together with the folders they form no circle.
 */
export const innerFolders: Readonly<Record<string, readonly string[]>> = {
  'stored/': [
    'documents',
    'dynamodb',
    'slots',
    'pages',
    'run',
    'partitions',
    'snapshots',
    'changes',
    'chain',
    'join',
    'tables',
    'schema-report',
    'iceberg',
    'glue',
    'claim',
    'inventory',
  ],
  'functions/publisher/': ['check', 'set'],
  'functions/compare/': ['chain', 'erase', 'records'],
  'functions/tables/': ['check', 'values', 'parquet', 'plan', 'chunk', 'commit'],
  'functions/worker/': ['page', 'publish', 'scroll', 'lifecycle', 'ranges', 'increment', 'repeats'],
  'functions/proxy/': ['request', 'response', 'idempotency'],
  'operator/': [
    'text',
    'aws',
    'deployment',
    'sync',
    'access',
    'snapshot',
    'verify',
    'changes',
    'tables',
    'history',
    'retention',
    'review',
    'problems',
    'doctor',
    'probe',
  ],
  'console/client/': ['model', 'components', 'views'],
  'console/server/': ['document-views', 'data'],
}

/** Packages that only `*.aws.ts` files import, and whether they must. Tests and benchmarks call AWS directly. */
export const awsPackages = /^@(aws-sdk|smithy)\//
export const awsOnlyIn: readonly Pattern[] = [
  'functions/',
  'stored/',
  'lib/',
  'bin/',
  'operator/',
  'console/',
  'local/',
  'cli/',
  'scripts/',
]

export function matches(path: string, pattern: Pattern): boolean {
  const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]+')
  return new RegExp(`^${expression}${pattern.endsWith('/') ? '' : '$'}`).test(path)
}
