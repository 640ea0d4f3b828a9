import { expect, it } from 'vitest'
import { hoursAgo, itemsOf, now, run, snapshot } from './items-of.ts'

const rejected = { documents: 0, faults: { '401': 2, '403': 1 } }

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
        'Run run-3 of CL was refused: it found 280 documents, 60.0% fewer than the 700 of the snapshot published 5 h ago.',
      action: expect.stringContaining('accept exactly this snapshot'),
      command: 'longshore review run-3',
      runId: 'run-3',
    },
  ],
  [
    'refused runs since the first of them',
    () => ({ runs: [run('refused'), run('refused'), run('published'), run('refused')] }),
    { since: hoursAgo(2), evidence: expect.stringMatching(/ The last 2 runs ended in the same way\.$/) },
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
      action: 'Read the log of the last run, fix the problem, and start a sync.',
      command: 'longshore logs run-1',
      runId: 'run-1',
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
      runId: 'run-1',
    },
  ],
  [
    'credentials that the platform rejected once in each of two runs',
    () => ({ runs: [run('failed', { documents: 0, faults: { '401': 1 } }), run('failed')] }),
    {
      kind: 'credentials-rejected',
      evidence:
        'Run run-1 of CL failed: the platform rejected the credentials once. The last 2 runs ended in the same way.',
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
      action: 'Read the log of the run, fix the problem, and start a sync.',
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
      action: 'Sync it now, and check whether its schedule starts the next run.',
      command: 'longshore sync CL --watch',
    },
  ],
])('names %s', (_, view, item) => {
  const items = itemsOf(view)
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({ entities: ['CL'], ...item })
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
          'The last increment window of CL ended 1 h ago; rate(5 minutes) allows 30 min. The last increment failed: The platform reports no total.',
        action: 'Start an increment, and check its result.',
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
