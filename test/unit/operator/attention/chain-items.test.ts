import { expect, it } from 'vitest'
import type { EntityState } from '../../../../operator/attention/entity-items.ts'
import { hoursAgo, itemsOf, run } from './items-of.ts'

const stopped = { runId: 'r', tip: 'q', since: hoursAgo(4) }
const fact = (existing: object | undefined, differences: string[] = []) =>
  ({ kind: 'deployed', fact: { existing, differences } }) as never
it.each<[name: string, state: Partial<EntityState>, item: object]>([
  [
    'a change set that was refused',
    { chain: { ...stopped, kind: 'refused', deleted: 420, baseDocuments: 700 } },
    {
      kind: 'changes-refused',
      since: hoursAgo(4),
      evidence: expect.stringMatching(/^CL: The change set of run r was refused: it deletes 420 of 700 /),
      action: expect.stringContaining('accept exactly this change set'),
      command: 'longshore review r',
      runId: 'r',
    },
  ],
  [
    'a comparison that failed',
    { chain: { ...stopped, kind: 'failed', failures: 1 } },
    {
      kind: 'changes-failed',
      action: 'Sync again: this repeats the comparison.',
      command: 'longshore sync CL --watch',
    },
  ],
  [
    'comparisons that keep failing',
    { chain: { ...stopped, kind: 'failed', failures: 2 } },
    {
      kind: 'changes-failed',
      action: 'Reset the change sets, so that they start again at the snapshot of the next sync.',
      command: 'longshore changes CL --reset',
    },
  ],
  [
    'a table that failed',
    {
      table: { kind: 'behind', runId: 'r', tableRun: 'q', since: hoursAgo(4), reason: 'S3 was unavailable.' },
    },
    {
      kind: 'table-failed',
      since: hoursAgo(4),
      evidence: 'CL: The table of run r failed: S3 was unavailable. The table is from run q.',
      command: 'longshore sync CL --watch',
      runId: 'r',
    },
  ],
  [
    'a table that could not be updated in Glue',
    {
      table: { kind: 'unlisted', runId: 'r', since: hoursAgo(4), reason: 'AccessDeniedException' },
    },
    {
      kind: 'glue-failed',
      since: hoursAgo(4),
      evidence:
        'CL: Glue could not be updated for the table of run r (AccessDeniedException). Athena does not find it; readers without a catalog do.',
      action:
        'In Lake Formation, grant access to the database in the stack output TableDatabaseName, and to all its tables, to the role of the function that builds the tables. Sync again: this updates Glue.',
      command: 'longshore sync CL --watch',
    },
  ],
  [
    'a table that could not be updated in Glue for a temporary reason',
    { table: { kind: 'unlisted', runId: 'r', since: hoursAgo(4), reason: 'InternalServiceException' } },
    { kind: 'glue-failed', action: 'Sync again: this updates Glue.', command: 'longshore sync CL --watch' },
  ],
  [
    'a schedule that was deleted',
    { schedule: fact(undefined) },
    {
      kind: 'schedule-missing',
      evidence: 'The schedule of CL was deployed, but no longer exists in the account, so no run starts.',
      action: 'Restore the schedule.',
      command: 'longshore repair-schedule CL',
      runId: null,
    },
  ],
  [
    'a schedule that was changed',
    { schedule: fact({}, ['its expression is a, not b', 'its role is c, not d']) },
    {
      kind: 'schedule-changed',
      evidence:
        'The schedule of CL was changed in the account: its expression is a, not b; its role is c, not d.',
      action: 'Restore the schedule as deployed.',
      command: 'longshore repair-schedule CL',
    },
  ],
])('names %s', (_, state, item) => {
  const items = itemsOf({}, state)
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({ entities: ['CL'], ...item })
})

it('names only that an entity is not deployed, since nothing else can be resolved before', () => {
  const schedule = { kind: 'not-deployed', deploy: 'npm run deploy' } as const
  expect(itemsOf({ snapshot: null }, { schedule })).toMatchObject([
    {
      kind: 'not-deployed',
      entities: ['CL'],
      evidence: 'CL is configured, but not deployed.',
      action: 'Deploy.',
      command: 'npm run deploy',
    },
  ])
  expect(itemsOf({ enabled: false }, { schedule })).toEqual([])
})

it('expects no schedule of an entity that is synced on demand', () => {
  expect(itemsOf({ enabled: false }, { schedule: fact(undefined) })).toEqual([])
  expect(itemsOf({}, { schedule: fact({}) })).toEqual([])
})

it('names what its run and its change sets need, each', () => {
  const chain = { ...stopped, kind: 'refused', deleted: 1, baseDocuments: 2 } as const
  const kinds = itemsOf(() => ({ runs: [run('refused')] }), { chain }).map(({ kind }) => kind)
  expect(kinds).toEqual(['run-refused', 'changes-refused'])
})
