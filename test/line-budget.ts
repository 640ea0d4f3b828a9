/** What a capability may cost: the lines of its source, tests not included. */
export interface Budget {
  readonly capability: string
  /** Folders with a slash at their end, and files. A file belongs to the longest path that fits. */
  readonly paths: readonly string[]
  readonly lines: number
}

export const lineBudget: readonly Budget[] = [
  {
    capability: 'proven scroll and publication',
    paths: ['functions/worker/', 'functions/documents/'],
    lines: 5_600,
  },
  {
    capability: 'partitions',
    paths: [
      'functions/partitions/',
      'functions/worker/ranges/',
      'operator/partitions/',
      'cli/partitions/',
      'cli/commands/partitions.ts',
    ],
    lines: 1_470,
  },
  { capability: 'increments', paths: ['functions/worker/increment/'], lines: 1_440 },
  { capability: 'stored state', paths: ['functions/state/'], lines: 4_480 },
  {
    capability: 'change sets',
    paths: [
      'functions/chain/',
      'functions/compare/',
      'operator/changes/',
      'cli/changes/',
      'cli/commands/changes.ts',
    ],
    lines: 4_600,
  },
  {
    capability: 'erasure, purge and retention',
    paths: [
      'functions/compare/erase/',
      'functions/tables/erase/',
      'functions/state/erasure/',
      'functions/task/erase-entities.ts',
      'functions/problems/erasure-problems.ts',
      'lib/monitoring/erasure-alarms.ts',
      'operator/erase/',
      'operator/purge/',
      'operator/retention/',
      'cli/erase/',
      'cli/purge/',
      'cli/retention/',
    ],
    lines: 2_220,
  },
  {
    capability: 'typed tables and schema report',
    paths: ['functions/tables/', 'operator/tables/', 'cli/tables/'],
    lines: 5_010,
  },
  {
    capability: 'API proxy',
    paths: ['functions/proxy/', 'functions/http/', 'functions/platform/'],
    lines: 2_080,
  },
  { capability: 'client of the platform', paths: ['functions/upstream/'], lines: 1_270 },
  { capability: 'sync API', paths: ['functions/sync-api/'], lines: 1_495 },
  { capability: 'OpenAPI document', paths: ['functions/openapi/'], lines: 1_995 },
  {
    capability: 'problems, freshness and doctor',
    paths: [
      'functions/problems/',
      'functions/freshness/',
      'operator/attention/',
      'operator/doctor/',
      'cli/doctor/',
    ],
    lines: 3_230,
  },
  {
    capability: 'what AWS responds (doctor --live)',
    paths: [
      'operator/live/',
      'operator/aws/athena.ts',
      'operator/aws/metrics.aws.ts',
      'operator/aws/signed-call.aws.ts',
      'cli/doctor/live-report.ts',
      'cli/doctor/run-live.ts',
    ],
    lines: 1_060,
  },
  { capability: 'alerts', paths: ['functions/alerts/'], lines: 580 },
  { capability: 'story of a run', paths: ['functions/story/'], lines: 540 },
  { capability: 'frame of the functions', paths: ['functions/'], lines: 1_005 },
  {
    capability: 'configuration',
    paths: ['functions/runtime/settings-schema/', 'lib/config/', 'lib/config.ts', 'longshore.config.ts'],
    lines: 1_960,
  },
  { capability: 'stacks and package', paths: ['lib/', 'bin/', 'scripts/'], lines: 2_660 },
  { capability: 'alarms and dashboard', paths: ['lib/monitoring/', 'lib/monitoring-stack.ts'], lines: 930 },
  {
    capability: 'history, review, pull and verify',
    paths: [
      'operator/history/',
      'operator/review/',
      'operator/accept/',
      'operator/snapshot/',
      'cli/history/',
      'cli/review/',
      'cli/snapshot/',
    ],
    lines: 2_400,
  },
  { capability: 'operations', paths: ['operator/'], lines: 3_645 },
  { capability: 'command line', paths: ['cli/'], lines: 3_600 },
  { capability: 'console', paths: ['console/'], lines: 9_370 },
  { capability: 'local mode', paths: ['local/'], lines: 5_350 },
  { capability: 'stand-in for the platform', paths: ['local/stand-in/'], lines: 1_370 },
  { capability: 'benchmarks', paths: ['bench/'], lines: 3_610 },
]
