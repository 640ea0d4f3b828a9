import { expect, it } from 'vitest'
import type { DeployedSchedule } from '../../../functions/problems/facts.ts'
import { formatMinute } from '../../../functions/runtime/format.ts'
import { type FactsChange, hoursAgo, latest, now, problemsIn, run, runIdAt, unpublished } from './facts-of.ts'

const withoutId = { documents: 700, idField: 'key', since: hoursAgo(30) }
const stopped = { runId: 's', tip: 'r', since: hoursAgo(4) }
const scheduled = (change: Partial<DeployedSchedule>): FactsChange => ({
  schedules: {
    kind: 'deployed',
    schedules: [
      {
        starts: 'full',
        isDeployed: true,
        existing: { enabled: true, changedAt: hoursAgo(3) },
        differences: [],
        undeployed: undefined,
        ...change,
      },
    ],
  },
})
const erasing = {
  eraseWithinDays: 10,
  watched: { full: undefined, increment: undefined, erasure: hoursAgo(72) },
}
const erasedAt = (hours: number) => ({ erasedAt: hoursAgo(hours), tablesErasedAt: hoursAgo(hours) })
const pausedUntil = (until: string | null): FactsChange => ({
  state: { latest, pause: { by: 'user/ana', since: hoursAgo(3), reason: 'Migration.', until } },
})
const increments = { schedule: 'rate(5 minutes)', lookbackMinutes: 60 }
const withIncrements = (change: object = {}, lease?: object): FactsChange => ({
  settings: { increments },
  state: {
    latest,
    ...(lease && { lease: lease as never }),
    increments: {
      window: { from: hoursAgo(2), to: hoursAgo(0.1) },
      last: { runId: 'i', status: 'published', reason: null, endedAt: hoursAgo(0.1) },
      records: {},
      ...change,
    },
  },
})
const failed = { runId: 'i', status: 'failed', reason: 'It timed out.', endedAt: hoursAgo(0.1) } as const
/** The last one succeeded so long ago. */
const ended = (hours: number) => ({
  window: { from: hoursAgo(hours + 1), to: hoursAgo(hours) },
  last: { runId: runIdAt(hours), status: 'published', reason: null, endedAt: hoursAgo(hours) },
})
/** The last full sync ended half an hour ago because the platform was away. */
const whileAway = (change: object): FactsChange => ({
  ...withIncrements(change),
  runs: [run('failed', 0.5, { cause: 'platform-away' })],
})
const skipped = { ...failed, status: 'skipped', reason: 'Too many changes.' } as const

it.each<[name: string, change: FactsChange]>([
  ['its schedule is as deployed', scheduled({})],
  ['it is synced on demand', { ...scheduled({ existing: undefined }), settings: { enabled: false } }],
  ['its increments are recent', withIncrements()],
  ['the platform is away, and no increment has begun since', whileAway(ended(1))],
  ['the end of its pause has passed', pausedUntil(hoursAgo(0))],
  ['its pause is of a time when it had a schedule', { ...pausedUntil(null), settings: { enabled: false } }],
  [
    'a published snapshot is being compared when an increment begins',
    withIncrements({ last: { ...skipped, code: 'comparing' } }),
  ],
  [
    'a skipped increment is older than a sync',
    withIncrements({ last: { ...skipped, endedAt: hoursAgo(9) } }),
  ],
  ['it was erased a day ago', { ...erasing, state: { latest, ...erasedAt(24) } }],
  [
    'eraseWithinDays was set a day ago',
    { ...erasing, watched: { ...erasing.watched, erasure: hoursAgo(24) } },
  ],
  [
    'eraseWithinDays was set again a day ago',
    {
      ...erasing,
      watched: { ...erasing.watched, erasure: hoursAgo(24) },
      state: { latest, ...erasedAt(2000) },
    },
  ],
  ['nothing is erased any more', { ...erasing, eraseWithinDays: undefined }],
])('nothing needs a person if %s', (_, change) => expect(problemsIn(change)).toEqual([]))

it.each<[name: string, change: FactsChange, problem: object]>([
  [
    'a change set that was refused',
    { chain: { ...stopped, kind: 'refused', deleted: 420, baseDocuments: 700 } },
    {
      kind: 'changes-refused',
      since: hoursAgo(4),
      evidence:
        'CL: The change set of run s was refused: it deletes 420 of 700 documents. The change sets stop at run r.',
      command: 'review s',
    },
  ],
  [
    'a chain at which readers cannot begin',
    { chain: { kind: 'erased', reason: 'Documents of its state were erased by an operator.' } },
    {
      kind: 'changes-erased',
      level: 'problem',
      evidence:
        'CL: readers that begin to follow its change sets receive 410. Documents of its state were erased by an operator.',
      command: 'sync CL --watch',
    },
  ],
  [
    'a change set that is only missing',
    { chain: { ...stopped, kind: 'failed', failures: 0, reason: undefined, cause: 'other' } },
    {
      kind: 'changes-failed',
      action: expect.stringMatching(/^Sync again: .* If it fails again, read the log/),
      command: 'sync CL --watch',
    },
  ],
  [
    'comparisons that keep failing, with the reason and what loses nothing first',
    { chain: { ...stopped, kind: 'failed', failures: 2, reason: 'p.gz is damaged.', cause: 'damaged' } },
    {
      kind: 'changes-failed',
      evidence: expect.stringContaining('(p.gz is damaged)'),
      action: expect.stringMatching(
        /^Restore damaged .*: this loses nothing\. Otherwise .*: longshore changes CL --reset\.$/,
      ),
      command: 'verify CL --repair',
    },
  ],
  [
    'comparisons that keep failing, as 1.1.0 and before recorded it',
    { chain: { ...stopped, kind: 'failed', failures: 2, reason: 'p.gz is damaged.', cause: 'too-large' } },
    {
      kind: 'changes-failed',
      action: expect.stringMatching(/^If an object is damaged or missing, restore its previous version/),
      command: 'changes CL --reset',
    },
  ],
  [
    'a first comparison that needs another configuration',
    { chain: { ...stopped, tip: null, kind: 'failed', failures: 2, reason: 'Big.', cause: 'too-large' } },
    {
      action: expect.stringMatching(/^Change the configuration/),
      step: { kind: 'sync-afterwards', entity: 'CL' },
    },
  ],
  [
    'a table that failed',
    { table: { kind: 'behind', runId: 's', tableRun: 'r', since: hoursAgo(4), reason: 'S3 failed.' } },
    {
      kind: 'table-failed',
      since: hoursAgo(4),
      evidence: 'CL: The table of run s failed: S3 failed. The table is from run r.',
      command: 'sync CL --watch',
    },
  ],
  [
    'a table that Lake Formation keeps from Glue',
    { table: { kind: 'unlisted', runId: 's', since: hoursAgo(4), reason: 'AccessDeniedException' } },
    {
      kind: 'table-failed',
      action: expect.stringMatching(/^In Lake Formation, grant access .*\. Sync again: this updates Glue\.$/),
    },
  ],
  [
    'a table in a Data Catalog whose key the function may not use',
    { table: { kind: 'unlisted', runId: 's', since: hoursAgo(4), reason: 'GlueEncryptionException' } },
    { kind: 'table-failed', action: expect.stringMatching(/^The Data Catalog is encrypted: let the role /) },
  ],
  [
    'a table whose database in Glue is gone',
    { table: { kind: 'unlisted', runId: 's', since: hoursAgo(4), reason: 'EntityNotFoundException' } },
    {
      kind: 'table-failed',
      action: expect.stringMatching(/^Create the Glue database .* again\. Sync again/),
    },
  ],
  [
    'a table that Glue could not store for another reason',
    { table: { kind: 'unlisted', runId: 's', since: hoursAgo(4), reason: 'InternalServiceException' } },
    { kind: 'table-failed', action: 'Sync again: this updates Glue.' },
  ],
  [
    'fields that changed, as a note',
    {
      schemaChanges: {
        version: 1,
        entity: 'CL',
        runId: 'r',
        added: ['town'],
        removed: [],
        retyped: [],
        counts: { added: 1, removed: 0, retyped: 0 },
      },
    },
    { kind: 'schema-changed', level: 'note', since: latest.publishedAt, command: 'columns CL' },
  ],
  [
    'a run that continued without its partitions, as a note',
    {
      runs: [
        run('running', 0, { endedAt: undefined }),
        run('skipped', 1),
        run('published', 1, { kind: 'republication' }),
        run('published', 2, { split: { kind: 'fallback', reason: 'The search failed.' } }),
      ],
    },
    {
      kind: 'partitions-unused',
      level: 'note',
      evidence: 'CL: the last run was scrolled without partitions: The search failed.',
    },
  ],
  [
    'that nothing can be erased before the next publication',
    {
      eraseWithinDays: 10,
      state: { latest: { ...latest, publishedAt: hoursAgo(241) } },
      settings: { enabled: false },
    },
    { kind: 'erasure-waits', level: 'problem', since: hoursAgo(1), command: 'sync CL --watch' },
  ],
  [
    'that nothing of it was erased for two days',
    { ...erasing, state: { latest, erasedAt: hoursAgo(50), tablesErasedAt: hoursAgo(20) } },
    {
      kind: 'erasure-incomplete',
      since: hoursAgo(2),
      evidence: expect.stringMatching(
        /^The daily task has not erased all old snapshots and change sets of CL/,
      ),
      action: expect.stringContaining('the function Compare'),
    },
  ],
  [
    'that its tables were never erased',
    { ...erasing, state: { latest, erasedAt: hoursAgo(20) }, settings: { enabled: false } },
    {
      kind: 'erasure-incomplete',
      since: hoursAgo(24),
      evidence: expect.stringContaining('old files of tables of CL'),
      action: expect.stringContaining('the function Tables'),
    },
  ],
  [
    'increments whose last window is too old, with why',
    withIncrements({ window: { from: hoursAgo(2), to: hoursAgo(1) }, last: failed }),
    {
      kind: 'increments-stale',
      since: hoursAgo(0.5),
      evidence:
        'The last increment window of CL ended 2026-11-21 11:00 UTC; rate(5 minutes) allows 30 min. The last increment failed: It timed out.',
      command: 'sync CL --increment --watch',
    },
  ],
  [
    'no increment to start while the platform is away',
    withIncrements({ last: { ...failed, cause: 'platform-away' } }),
    {
      kind: 'increments-failed',
      level: 'note',
      action: 'Wait: the next increment covers its window when the platform is back.',
    },
  ],
  [
    'an increment to start after one that failed for another reason than the last full sync',
    {
      ...withIncrements({ window: { from: hoursAgo(2), to: hoursAgo(1) }, last: failed }),
      runs: [run('failed', 1, { cause: 'platform-away' })],
    },
    { kind: 'increments-stale', command: 'sync CL --increment --watch' },
  ],
  [
    'which credentials increments need that the platform rejected',
    withIncrements({
      window: { from: hoursAgo(2), to: hoursAgo(1) },
      last: { ...failed, cause: 'credentials' },
    }),
    { kind: 'increments-stale', command: 'credentials set' },
  ],
  [
    'an increment to start if the last one succeeded after the platform was away',
    {
      ...withIncrements({
        window: { from: hoursAgo(2), to: hoursAgo(1) },
        last: { ...failed, status: 'published', reason: undefined, endedAt: hoursAgo(0.5) },
      }),
      runs: [run('failed', 1, { cause: 'platform-away' })],
    },
    { kind: 'increments-stale', command: 'sync CL --increment --watch' },
  ],
  [
    'an object that increments need and that somebody has overwritten',
    withIncrements({
      window: { from: hoursAgo(2), to: hoursAgo(1) },
      last: { ...failed, cause: 'unreadable-object' },
    }),
    { kind: 'increments-stale', command: 'verify CL --repair' },
  ],
  [
    'that a full sync ends what skips increments for long',
    withIncrements({ window: { from: hoursAgo(2), to: hoursAgo(1) }, last: skipped }),
    { kind: 'increments-stale', action: 'Start a full sync.', command: 'sync CL --watch' },
  ],
  [
    'since when increments have failed, and why the last one did',
    withIncrements({
      window: { from: hoursAgo(2), to: hoursAgo(1) },
      last: failed,
      failedSince: hoursAgo(0.9),
    }),
    {
      kind: 'increments-stale',
      evidence: expect.stringMatching(
        /allows 30 min\. Increments have failed since 2026-11-21 11:06 UTC, the last one because: It timed out\.$/,
      ),
    },
  ],
  [
    'how many increments have failed, as a note while the last window is recent',
    withIncrements({ last: failed, failedSince: hoursAgo(0.9), failures: 5 }),
    {
      kind: 'increments-failed',
      level: 'note',
      evidence:
        'CL: 5 increments have failed since 2026-11-21 11:06 UTC, the last one because: It timed out.',
    },
  ],
  [
    'a full sync that prevents increments, as a note',
    withIncrements(ended(9), { runId: runIdAt(8), until: now + 1 }),
    {
      kind: 'increments-stale',
      level: 'note',
      evidence: `The last increment window of CL ended 2026-11-21 03:00 UTC; rate(5 minutes) allows 30 min. The full sync ${runIdAt(8)} has been in progress since 2026-11-21 04:00 UTC.`,
      action: 'Wait: increments continue when it has ended.',
    },
  ],
  [
    'a full sync that prevented increments until now, as a note',
    { ...withIncrements(ended(9)), runs: [run('published', 0.1)] },
    {
      kind: 'increments-stale',
      level: 'note',
      evidence: expect.stringContaining(
        `The full sync ${runIdAt(0.1)} was in progress until 2026-11-21 11:54`,
      ),
    },
  ],
  [
    'that no increment has begun since the last full sync',
    { ...withIncrements(ended(9)), runs: [run('published', 2)] },
    {
      kind: 'increments-stale',
      level: 'problem',
      evidence: expect.stringMatching(
        / The schedule of increments of CL is rate\(5 minutes\), but no increment has started since 2026-11-21 10:00 UTC\.$/,
      ),
      action:
        'Check whether its schedule is disabled, and the log of the function Worker. Then start an increment.',
      command: 'sync CL --increment --watch',
    },
  ],
  [
    'that no increment has begun since the last one',
    withIncrements(ended(9)),
    { evidence: expect.stringContaining('no increment has started since 2026-11-21 03:00 UTC.') },
  ],
  [
    'an increment that is in progress when windows are too old',
    withIncrements(ended(9), { kind: 'increment', runId: 'j', until: now + 1 }),
    {
      kind: 'increments-stale',
      evidence: expect.stringContaining('The increment j is in progress.'),
      action: 'Wait until it has ended, and check its result.',
    },
  ],
  [
    'slots that increments do not get',
    withIncrements({ ...ended(1), last: { ...skipped, code: 'no-slot' } }),
    { kind: 'increments-stale', action: expect.stringContaining("'maxConcurrentScrolls'") },
  ],
  [
    'credentials that increments need',
    withIncrements({ ...ended(1), last: { ...skipped, code: 'no-credentials' } }),
    { kind: 'increments-stale', command: 'credentials set' },
  ],
  [
    'an increment to start after one that a full sync ended',
    withIncrements({ ...ended(1), last: { ...skipped, code: 'full-sync-began' } }),
    { kind: 'increments-stale', command: 'sync CL --increment --watch' },
  ],
  [
    'a failed increment as a note while the last window is recent',
    withIncrements({ last: failed, failedSince: hoursAgo(0.3) }),
    {
      kind: 'increments-failed',
      level: 'note',
      since: hoursAgo(0.3),
      evidence: 'CL: Increments have failed since 2026-11-21 11:42 UTC, the last one because: It timed out.',
      command: 'sync CL --increment --watch',
    },
  ],
  [
    'a skipped increment as a note while the last window is recent',
    withIncrements({ last: skipped }),
    { kind: 'increments-skipped', level: 'note', command: 'sync CL --watch' },
  ],
  [
    'changes that increments missed',
    { ...withIncrements(), audit: { missedByIncrements: 2 } },
    {
      kind: 'increments-missed',
      level: 'problem',
      evidence: expect.stringContaining(
        'found 2 changes that increments missed: either lookbackMinutes (60)',
      ),
    },
  ],
  [
    'changes that no increment can see, as a note',
    { ...withIncrements(), audit: { invisibleToIncrements: 1 } },
    {
      kind: 'increments-invisible',
      level: 'note',
      evidence: expect.stringContaining('1 change that no increment can see'),
    },
  ],
  [
    'a schedule that was deleted',
    scheduled({ existing: undefined }),
    { kind: 'schedule-missing', since: null, command: 'repair-schedule CL' },
  ],
  [
    'a schedule that was changed, and is not what is configured either',
    scheduled({
      differences: ['its role is a', 'so is b'],
      undeployed: { deployed: 'a', configured: 'b', deploy: 'd' },
    }),
    {
      kind: 'schedule-changed',
      since: hoursAgo(3),
      evidence: 'The schedule of CL was changed in the account: its role is a; so is b.',
      command: 'repair-schedule CL',
    },
  ],
  [
    'a schedule of increments that differs from the configuration',
    scheduled({
      starts: 'increment',
      undeployed: {
        deployed: 'rate(1 hour) UTC',
        configured: 'rate(5 minutes) UTC',
        deploy: 'npm run deploy',
      },
    }),
    {
      kind: 'schedule-not-deployed',
      evidence:
        'The schedule of increments of CL is rate(1 hour) UTC; the configuration has rate(5 minutes) UTC.',
      action: 'Deploy: npm run deploy',
    },
  ],
  [
    'a disabled schedule as a note, with since when',
    scheduled({ existing: { enabled: false, changedAt: hoursAgo(3) } }),
    {
      kind: 'paused',
      level: 'note',
      since: hoursAgo(3),
      evidence: 'The schedule of CL is disabled, so it starts nothing.',
      action: 'Resume it when syncs are wanted again.',
      command: 'resume CL',
    },
  ],
  [
    'a pause as a note, with who paused it, since when, until when and why',
    { ...scheduled({}), ...pausedUntil(hoursAgo(-8)) },
    {
      kind: 'paused',
      level: 'note',
      since: hoursAgo(3),
      evidence: `CL has been paused by user/ana since ${formatMinute(hoursAgo(3))}, until ${formatMinute(hoursAgo(-8))}: Migration.`,
      action: 'It ends by itself. Resume it if syncs are wanted earlier.',
      command: 'resume CL',
    },
  ],
  [
    'a pause without an end, whatever is known of the schedules',
    pausedUntil(null),
    { kind: 'paused', level: 'note', action: 'Resume it when syncs are wanted again.' },
  ],
  [
    'a pause whose end does not start the schedule again, which is disabled',
    { ...scheduled({ existing: { enabled: false, changedAt: hoursAgo(2) } }), ...pausedUntil(hoursAgo(-8)) },
    {
      kind: 'paused',
      level: 'note',
      since: hoursAgo(3),
      evidence: `CL has been paused by user/ana since ${formatMinute(hoursAgo(3))}, until ${formatMinute(hoursAgo(-8))}: Migration. The schedule of CL is disabled, so it starts nothing.`,
      action: 'Resume it when syncs are wanted again.',
    },
  ],
])('names %s', (_, change, problem) => {
  expect(problemsIn(change)).toEqual([
    expect.objectContaining({ entity: 'CL', level: 'problem', ...problem }),
  ])
})

it('names only that an entity is not deployed, since nothing else can be resolved before', () => {
  const schedules = { kind: 'not-deployed', deploy: 'npm run deploy' } as const
  const old = { latest: { ...latest, publishedAt: hoursAgo(99) } }
  expect(problemsIn({ schedules, state: old })).toEqual([
    {
      kind: 'not-deployed',
      level: 'problem',
      entity: 'CL',
      since: null,
      evidence: 'CL is configured, but not deployed.',
      action: 'Deploy: npm run deploy',
    },
  ])
  expect(problemsIn({ schedules, settings: { enabled: false } })).toEqual([])
})

it('names a skipped increment also before the first publication', () => {
  const state = { ...unpublished.state, increments: { last: skipped, records: {} } }
  const kinds = problemsIn({ settings: { increments }, state }).map(({ kind }) => kind)
  expect(kinds).toEqual(['no-snapshot', 'increments-skipped'])
})

it.each([
  ['published', null, null],
  ['failed', 'The host was not found.', 'platform-away'],
])(
  'names increments that wait for the platform, of which the last one was %s, once the snapshot is too old',
  (status, reason, cause) => {
    const last = { runId: 'i', status, reason, cause, endedAt: hoursAgo(1) }
    const away = whileAway({ ...ended(1), last })
    const old = { ...latest, publishedAt: hoursAgo(13) }
    const found = problemsIn({ ...away, state: { ...away.state, latest: old } })
    expect(problemsIn(away).filter(({ level }) => level === 'problem')).toEqual([])
    expect(found).toMatchObject([
      { kind: 'stale' },
      { kind: 'increments-stale', action: expect.stringMatching(/^Wait: /) as string },
    ])
  },
)

it('names what its run and its change sets need, each', () => {
  const chain = { ...stopped, kind: 'refused', deleted: 1, baseDocuments: 2 } as const
  const kinds = problemsIn({ chain, runs: [run('refused', 1)] }).map(({ kind }) => kind)
  expect(kinds).toEqual(['run-refused', 'changes-refused'])
})

it.each<[name: string, change: FactsChange, found: object]>([
  [
    'a pause',
    { state: { pause: { by: 'user/ana', since: hoursAgo(3), reason: null, until: null } } as never },
    { evidence: expect.stringMatching(/ No increment starts while CL is paused\.$/), command: 'resume CL' },
  ],
  [
    'a disabled schedule',
    scheduled({ starts: 'increment', existing: { enabled: false, changedAt: hoursAgo(3) } }),
    { evidence: expect.stringMatching(/ No increment starts while CL is paused\.$/), command: 'resume CL' },
  ],
  [
    'a schedule that was deleted',
    scheduled({ starts: 'increment', existing: undefined }),
    {
      evidence: expect.stringMatching(
        / The schedule of increments of CL is rate\(5 minutes\), but no increment has started since 2026-11-21 03:00 UTC\.$/,
      ),
      action: 'Restore its schedule. Then start an increment.',
    },
  ],
  [
    'a schedule that was not deployed',
    scheduled({
      starts: 'increment',
      isDeployed: false,
      existing: undefined,
      undeployed: { deployed: 'not deployed', configured: 'rate(5 minutes) UTC', deploy: 'd' },
    }),
    { action: 'Deploy its schedule. Then start an increment.' },
  ],
])('names %s as the cause of increments that are too old', (_, { state, ...change }, fix) => {
  const stale = withIncrements(ended(9))
  const [first, ...others] = problemsIn({ ...stale, ...change, state: { ...stale.state, ...state } })
  expect(first).toMatchObject({ kind: 'increments-stale', level: 'problem', ...fix })
  // It is a problem of its own.
  expect(others).toHaveLength(1)
})

it.each<[name: string, change: FactsChange, problem: object]>([
  [
    'a change set whose deletes are changes of documents without an id, which is not to be accepted',
    {
      chain: { ...stopped, kind: 'refused', deleted: 420, baseDocuments: 700 },
      state: { latest, withoutId: { ...withoutId, documents: 420 } },
    },
    {
      kind: 'changes-refused',
      evidence: expect.stringMatching(
        / In its snapshot, 420 of 700 documents do not have the field key .*\. Each change of such a document counts as a delete and a create\.$/,
      ),
      action: expect.stringMatching(/^Set 'idField' of CL .* Only if no field identifies the documents/),
      command: 'sync CL --watch',
    },
  ],
  [
    'a change set that deletes more than the documents without an id',
    {
      chain: { ...stopped, kind: 'refused', deleted: 420, baseDocuments: 700 },
      state: { latest, withoutId: { ...withoutId, documents: 419 } },
    },
    { kind: 'changes-refused', command: 'review s' },
  ],
  [
    'a snapshot of which no document has an id',
    { state: { latest, withoutId } },
    {
      kind: 'documents-without-id',
      level: 'note',
      since: hoursAgo(30),
      evidence:
        'CL: none of 700 documents has the field key as text, number or boolean. Each change of such a document counts as a delete and a create.',
      action: expect.stringContaining("Set 'idField' of CL"),
      command: 'sync CL --watch',
    },
  ],
  [
    'a snapshot of which some documents have no id',
    { state: { latest, withoutId: { ...withoutId, documents: 3 } } },
    {
      kind: 'documents-without-id',
      level: 'note',
      since: hoursAgo(30),
      evidence: expect.stringContaining('3 of 700 documents do not have the field key'),
    },
  ],
])('names first %s', (_, change, problem) => expect(problemsIn(change)[0]).toMatchObject(problem))
