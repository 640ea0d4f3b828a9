import { expect, it } from 'vitest'
import { type EntityState, entityItems } from '../../../../operator/attention/entity-items.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString()

let hours = 0
const run = (status: string, change: object = {}) => ({
  runId: `run-${++hours}`,
  status,
  endedAt: hoursAgo(hours),
  documents: 280,
  uniqueIds: 280,
  reason: 'The platform was unreachable.',
  faults: {},
  ...change,
})
const snapshot = { runId: 'r', publishedAt: hoursAgo(5), documents: 700 }
const rejected = { documents: 0, faults: { '401': 2, '403': 1 } }

function itemsOf(view: object, change: Partial<EntityState> = {}) {
  hours = 0
  const base = { entity: 'CL', enabled: true, schedule: 'rate(6 hours)', running: null, snapshot, runs: [] }
  const read = typeof view === 'function' ? view() : view
  return entityItems({
    view: { ...base, ...read } as never,
    chain: { kind: 'current' },
    table: { kind: 'off' },
    schedule: { kind: 'unknown' },
    now,
    command: (words) => `longshore ${words}`,
    ...change,
  })
}

it.each<[name: string, view: () => object]>([
  ['the last run published', () => ({ runs: [run('published'), run('failed'), run('failed')] })],
  ['one run failed', () => ({ runs: [run('failed'), run('published')] })],
  ['no run has ended', () => ({ runs: [run('running', { endedAt: null })] })],
  ['a run without documents met one rejection and published', () => ({ runs: [run('published', rejected)] })],
  [
    'the snapshot is as old as two runs are apart, less a moment',
    () => ({
      snapshot: { ...snapshot, publishedAt: new Date(now - 12 * 3_600_000 + 1).toISOString() },
    }),
  ],
  [
    'an old snapshot has no schedule',
    () => ({
      snapshot: { ...snapshot, publishedAt: hoursAgo(100) },
      enabled: false,
    }),
  ],
  ['the first sync is in progress', () => ({ snapshot: null, running: run('running') })],
  ['an entity without a snapshot is synced on demand', () => ({ snapshot: null, enabled: false })],
])('nothing waits for a person if %s', (_, view) => expect(itemsOf(view)).toEqual([]))

it.each<[name: string, view: () => object, item: object]>([
  [
    'a refused run, with what it found and what is published',
    () => ({ runs: [run('skipped'), run('cancelled'), run('refused'), run('published')] }),
    {
      kind: 'run-refused',
      entities: ['CL'],
      since: hoursAgo(3),
      evidence:
        'Run run-3 of CL was refused: it found 280 documents; the snapshot published 5 h ago has 700 (60.0% fewer).',
      action: expect.stringContaining('accept exactly this snapshot'),
      command: 'longshore review run-3',
    },
  ],
  [
    'refused runs since the first of them',
    () => ({ runs: [run('refused'), run('refused'), run('published'), run('refused')] }),
    { since: hoursAgo(2), evidence: expect.stringMatching(/ The last 2 runs ended like this\.$/) },
  ],
  [
    'a refused run while another one is in progress',
    () => ({ running: run('running'), runs: [run('running', { endedAt: null }), run('refused')] }),
    { kind: 'run-refused', command: 'longshore review run-3' },
  ],
  [
    'a refused run without documents and without a snapshot',
    () => ({ snapshot: null, runs: [run('refused', { documents: 0, uniqueIds: 0 })] }),
    {
      evidence: 'Run run-1 of CL was refused: it found 0 documents.',
      action: expect.stringContaining('first set allowEmpty'),
    },
  ],
  [
    'a refused run that is not smaller',
    () => ({ runs: [run('refused', { uniqueIds: null, documents: 700 })] }),
    { evidence: expect.stringMatching(/found 700 documents; the snapshot published 5 h ago has 700\.$/) },
  ],
  [
    'a run that failed twice, with its reason',
    () => ({ runs: [run('failed'), run('failed')] }),
    {
      kind: 'run-failed',
      since: hoursAgo(2),
      evidence: 'The last 2 runs of CL failed: The platform was unreachable.',
      action: 'Read what the last run logged, resolve it, and start a sync.',
      command: 'longshore logs run-1',
    },
  ],
  [
    'credentials that the platform rejected in the last run',
    () => ({ runs: [run('failed', rejected), run('published')] }),
    {
      kind: 'credentials-rejected',
      since: hoursAgo(1),
      evidence: 'Run run-1 of CL failed: the platform rejected the credentials 3 times.',
      action: 'Store an app key and app token that may read the entity.',
      command: 'longshore credentials set',
    },
  ],
  [
    'credentials that the platform rejected once in each of two runs',
    () => ({ runs: [run('failed', { documents: 0, faults: { '401': 1 } }), run('failed')] }),
    {
      kind: 'credentials-rejected',
      evidence:
        'Run run-1 of CL failed: the platform rejected the credentials once. The last 2 runs ended like this.',
    },
  ],
  [
    'a run that failed twice for an unknown reason',
    () => ({ runs: [run('failed', { reason: null }), run('failed')] }),
    { evidence: 'The last 2 runs of CL failed: no reason is known.' },
  ],
  [
    'a failure, not a rejection, of a run that received documents',
    () => ({ runs: [run('failed', { ...rejected, documents: 1 }), run('failed')] }),
    { kind: 'run-failed' },
  ],
  [
    'an entity without a snapshot',
    () => ({ snapshot: null }),
    {
      kind: 'no-snapshot',
      since: null,
      evidence: 'CL has no snapshot yet.',
      action: 'Start a sync.',
      command: 'longshore sync CL --watch',
    },
  ],
  [
    'an entity without a snapshot whose first run failed',
    () => ({ snapshot: null, runs: [run('failed')] }),
    {
      kind: 'no-snapshot',
      since: hoursAgo(1),
      evidence: 'CL has no snapshot yet. The last run failed: The platform was unreachable.',
      action: 'Read what the run logged, resolve it, and start a sync.',
      command: 'longshore logs run-1',
    },
  ],
  [
    'an entity without a snapshot whose first run failed for an unknown reason',
    () => ({ snapshot: null, runs: [run('failed', { reason: null })] }),
    { evidence: 'CL has no snapshot yet. The last run failed: no reason is known.' },
  ],
  [
    'a snapshot that is as old as it may be',
    () => ({ snapshot: { ...snapshot, publishedAt: hoursAgo(12) } }),
    { kind: 'stale', since: hoursAgo(0) },
  ],
  [
    'a snapshot that is too old',
    () => ({ snapshot: { ...snapshot, publishedAt: hoursAgo(13) } }),
    {
      kind: 'stale',
      since: hoursAgo(1),
      evidence: 'The snapshot of CL was published 13 h ago; rate(6 hours) allows 12 h.',
      action: 'Sync it now, and see whether its schedule starts the next run.',
      command: 'longshore sync CL --watch',
    },
  ],
])('names %s', (_, view, item) => {
  const items = itemsOf(view)
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({ entities: ['CL'], ...item })
})

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
    },
  ],
  [
    'a comparison that failed',
    { chain: { ...stopped, kind: 'failed', failures: 1 } },
    {
      kind: 'changes-failed',
      action: 'Sync again, which compares again.',
      command: 'longshore sync CL --watch',
    },
  ],
  [
    'comparisons that keep failing',
    { chain: { ...stopped, kind: 'failed', failures: 2 } },
    {
      kind: 'changes-failed',
      action: 'Start the change sets again at the snapshot of the next sync.',
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
    },
  ],
  [
    'a table to which Glue could not be updated',
    {
      table: { kind: 'unlisted', runId: 'r', since: hoursAgo(4), reason: 'AccessDeniedException' },
    },
    {
      kind: 'glue-failed',
      since: hoursAgo(4),
      evidence:
        'CL: Glue could not be updated to the table of run r (AccessDeniedException). Athena does not find it; readers without a catalog do.',
      action:
        'In Lake Formation, grant the role of the function that makes the tables the database TableDatabaseName and all its tables. Sync again, which updates Glue.',
      command: 'longshore sync CL --watch',
    },
  ],
  [
    'a table to which Glue could not be updated for a passing reason',
    { table: { kind: 'unlisted', runId: 'r', since: hoursAgo(4), reason: 'InternalServiceException' } },
    { kind: 'glue-failed', action: 'Sync again, which updates Glue.', command: 'longshore sync CL --watch' },
  ],
  [
    'a schedule that was deleted',
    { schedule: fact(undefined) },
    {
      kind: 'schedule-missing',
      evidence: 'The schedule of CL is deployed, but not in the account, so that no run starts.',
      action: 'Restore the schedule.',
      command: 'longshore repair-schedule CL',
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

const increments = (change: object = {}) => ({
  increments: {
    schedule: 'rate(5 minutes)',
    window: { from: hoursAgo(2), to: hoursAgo(1) },
    last: { status: 'failed', reason: 'The platform reports no total.' },
    ...change,
  },
})

it.each<[name: string, view: object, items: object[]]>([
  [
    'failed for an hour',
    increments(),
    [
      {
        kind: 'increments-stale',
        entities: ['CL'],
        since: hoursAgo(0.5),
        evidence:
          'The last window of increments of CL ended 1 h ago; rate(5 minutes) allows 30 min. The last increment failed: The platform reports no total.',
        action: 'Start an increment, and see how it ends.',
        command: 'longshore sync CL --increment --watch',
      },
    ],
  ],
  [
    'were skipped for an hour',
    increments({ last: { status: 'skipped', reason: 'Too many changes.', endedAt: hoursAgo(0) } }),
    [{ kind: 'increments-stale', action: 'Start a full sync.', command: 'longshore sync CL --watch' }],
  ],
  [
    'were skipped before the last full sync',
    increments({ last: { status: 'skipped', reason: 'Too many changes.', endedAt: hoursAgo(99) } }),
    [{ kind: 'increments-stale', command: 'longshore sync CL --increment --watch' }],
  ],
  ['are recent', increments({ window: { from: hoursAgo(1), to: hoursAgo(0.4) } }), []],
  ['wait for a full sync that is running', { ...increments(), running: run('running') }, []],
  ['have no snapshot yet', { ...increments(), snapshot: null, enabled: false }, []],
])('increments that %s', (_, view, items) => expect(itemsOf(view)).toMatchObject(items))
