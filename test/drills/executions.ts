/** The title of a test that executes a command, in one of the files whose tests note what they execute. */
type Title = string
type Executions = Readonly<Record<string, Readonly<Record<string, Title>>>>

const unsynced = 'nothing was synced yet'
const refused = 'a run was refused, and then its change set'
const inProgress = 'a run is in progress, and npm start has no schedule to repair'
const paused = 'pauses one entity with a reason and an end, and resumes it, whatever its schedule does'
const delivered = 'an increment delivered records'
const rejected = 'the credentials are wrong, and a run failed because of them'
const unknown = 'the validity of the credentials is not known'
const failedTwice = 'the last two runs failed'
const removed = 'an entity was removed'
const damaged = 'a page of a snapshot is gone that is downloaded or has a part of a history'
const overwritten = 'verify --repair names what helps if no version is intact'
const untyped = 'an entity has no table'
const failing = 'comparisons fail because a page of their base is gone'
const atATime = 'a document did not exist at a time'
const drill = 'symptoms, A program that reads change sets was stopped for a while'
const all = 'starts every enabled entity with --all'

/**
 * Which test executes each command that a text names, by the file of the text: in the state in which the text names it,
 * or in the nearest one if that state needs an account that no test has (a VPC, a secret for an area).
 */
export const executions: Executions = {
  'cli/changes/follow.ts': { 'pull ENTITY': `${drill} (it missed ten sets)` },
  'cli/commands/accept.ts': { 'review RUN': refused },
  'cli/commands/compare.ts': { 'verify ENTITY --repair': damaged },
  'cli/commands/changes.ts': { 'sync ENTITY --watch': failing },
  'cli/commands/credentials.ts': { 'credentials set': unsynced },
  'cli/commands/erase.ts': {
    'erase ENTITY': 'asks a person, and erases only after Yes',
    'erase ENTITY --any-form --dry-run': 'shows a value in another form, and includes it with --any-form',
  },
  'cli/commands/history.ts': {
    'history ENTITY ID': atATime,
    'pull ENTITY': 'pull and verify download the snapshot byte for byte, or as CSV',
    'retention ENTITY': atATime,
    'verify ENTITY --repair': damaged,
  },
  'cli/commands/init.ts': { 'credentials set': unsynced, doctor: unknown },
  'cli/commands/purge.ts': { 'purge ENTITY': removed },
  'cli/commands/review.ts': { 'accept RUN': refused },
  'cli/commands/pause.ts': { 'resume ENTITY': paused },
  'cli/commands/republish.ts': { 'pause ENTITY': paused },
  'cli/commands/runs.ts': { 'runs ENTITY --increments': delivered },
  'cli/commands/sync.ts': { 'review ENTITY': refused },
  'cli/commands/table.ts': { 'columns ENTITY': untyped },
  'cli/doctor/run-live.ts': { doctor: unknown },
  'cli/review/find.ts': { 'runs ENTITY': 'nothing was refused' },
  'cli/sync/missing-snapshots.ts': { status: unsynced },
  'cli/sync/sync-request.ts': {
    'cancel ENTITY': inProgress,
    'pause ENTITY': paused,
    'runs ENTITY': 'no run is in progress',
  },
  'cli/sync/results.ts': {
    'pull ENTITY --update': delivered,
    'review RUN': refused,
    status: delivered,
    'status --watch': all,
    'sync ENTITY --watch': inProgress,
  },
  'console/client/model/actions.ts': {
    'accept RUN': refused,
    'cancel ENTITY': inProgress,
    'pause ENTITY': paused,
    'purge ENTITY': removed,
    'republish RUN': 'does not accept a run that republish takes back, which starts a new one',
    'resume ENTITY': paused,
    'sync ENTITY --increment --watch': delivered,
    'sync ENTITY --watch': unsynced,
    'verify ENTITY': damaged,
    'verify ENTITY --repair': damaged,
  },
  'console/server/data/runs.ts': { 'accept RUN': refused, 'logs RUN': failedTwice, 'review RUN': refused },
  'console/server/data/schema.ts': { 'columns ENTITY': untyped },
  'operator/changes/chain.ts': {
    'pull ENTITY --force': 'a consumer missed more change sets than are kept',
    'sync ENTITY --watch': unsynced,
  },
  'operator/changes/update-pulled.ts': { 'changes ENTITY --reset': failing },
  'operator/deployment/deployment.ts': { 'purge ENTITY': removed, 'sync ENTITY --watch': unsynced },
  'operator/doctor/configured-checks.ts': { 'sync ENTITY --watch': unsynced },
  'operator/retention/erase.ts': { 'erase ENTITY --dry-run': 'only shows where a document is without --yes' },
  'operator/retention/find-person.ts': {
    'purge ENTITY': removed,
    'sync ENTITY --watch': 'a person is erased whom the published snapshot contains',
    'verify ENTITY --repair': damaged,
  },
  'operator/sync/run-logs.ts': { status: 'a run is not known' },
  'operator/retention/purge.ts': { doctor: 'there is nothing to purge' },
  'operator/deployment/find-schedule.ts': {
    'repair-schedule ENTITY': 'explains why an entity has no schedule',
    'sync ENTITY': inProgress,
  },
  'operator/snapshot/download.ts': { 'verify ENTITY': damaged },
  'operator/snapshot/published.ts': { 'runs ENTITY': 'a snapshot is not kept' },
  'operator/verify/verified-text.ts': {
    'changes ENTITY --reset': failing,
    'verify ENTITY --repair': damaged,
  },
  'functions/problems/problem.ts': {
    'changes ENTITY --reset': failing,
    'columns ENTITY': untyped,
    'credentials set': rejected,
    'credentials set --area': rejected,
    'logs RUN': failedTwice,
    'probe ENTITY': 'shows what the platform does, what to configure, and only reads',
    'purge ENTITY': removed,
    'repair-schedule ENTITY':
      'repair-schedule restores a deleted schedule with the command that doctor names',
    'resume ENTITY': paused,
    'review RUN': refused,
    'runs ENTITY': 'a snapshot is not kept',
    'sync ENTITY': unsynced,
    'sync ENTITY --increment --watch': 'the last increment failed',
    'sync ENTITY --watch': unsynced,
    'verify ENTITY --repair': overwritten,
  },
}

/** The titles of tests that execute commands, each with the commands. */
export function expectedCommands(): ReadonlyMap<Title, ReadonlySet<string>> {
  const rows = Object.values(executions).flatMap((forms) => Object.entries(forms))
  const byTitle = Map.groupBy(rows, ([, title]) => title)
  return new Map([...byTitle].map(([title, own]) => [title, new Set(own.map(([form]) => form))]))
}
