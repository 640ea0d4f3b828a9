import { expect, it } from 'vitest'
import {
  expectProblem,
  type FactsChange,
  hoursAgo,
  latest,
  now,
  problemsIn,
  run,
  runIdAt,
  scheduled,
  unpublished,
} from './facts-of.ts'

const withoutId = { documents: 700, idField: 'key', since: hoursAgo(30) }
const stopped = { runId: 's', tip: 'r', since: hoursAgo(4) }
const refused = { ...stopped, kind: 'refused', deleted: 420, baseDocuments: 700 } as const
const failing = (cause: 'damaged' | 'too-large'): FactsChange => ({
  chain: { ...stopped, kind: 'failed', failures: 2, reason: 'p.gz is damaged.', cause },
})
const unlisted = (reason: string): FactsChange => ({
  table: { kind: 'unlisted', runId: 's', since: hoursAgo(4), reason },
})
const undeployed = { deployed: 'a', configured: 'b', deploy: 'd' }
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
  ['its schedule is as deployed', scheduled()],
  ['it is synced on demand', { ...scheduled({ existing: undefined }), settings: { enabled: false } }],
  ['its increments are recent', withIncrements()],
  ['the platform is away, and no increment has begun since', whileAway(ended(1))],
  ['the end of its pause has passed', pausedUntil(hoursAgo(0))],
  ['its pause is of a time when it had a schedule', { ...pausedUntil(null), settings: { enabled: false } }],
  ['an increment began during a comparison', withIncrements({ last: { ...skipped, code: 'comparing' } })],
  [
    'a skipped increment is older than the last full sync',
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

it.each<[name: string, change: FactsChange, head: string, text?: string | RegExp]>([
  [
    'a change set that was refused',
    { chain: refused },
    'changes-refused problem 4 h: review s',
    'CL: The change set of run s was refused: it deletes 420 of 700 documents. The change sets stop at run r. → Review which documents it deletes. If they were deleted on purpose, accept exactly this change set.',
  ],
  [
    'a chain at which readers cannot begin',
    { chain: { kind: 'erased', reason: 'Documents of its state were erased by an operator.' } },
    'changes-erased problem: sync CL --watch',
    'CL: readers that begin to follow its change sets receive 410. Documents of its state were erased by an operator. → Start a full sync: the change sets start again with its snapshot.',
  ],
  [
    'change sets that are missing, or were deleted',
    { chain: { ...stopped, tip: null, kind: 'failed', failures: 0, reason: undefined, cause: 'other' } },
    'changes-failed problem 4 h: sync CL --watch',
    / → If there were any before, .*: longshore verify CL --repair\. Sync again: .* read the log/,
  ],
  [
    'comparisons that keep failing, with the reason and what loses nothing first',
    failing('damaged'),
    'changes-failed problem 4 h: verify CL --repair',
    /\(p\.gz is damaged\).* → Restore damaged .*: this loses nothing\. Otherwise .*: longshore changes CL --reset\.$/,
  ],
  [
    'comparisons that keep failing, as 1.1.0 and before recorded it',
    failing('too-large'),
    'changes-failed problem 4 h: changes CL --reset',
    / → If an object is damaged or missing, restore its previous version/,
  ],
  [
    'a first comparison that needs another configuration',
    { chain: { ...stopped, tip: null, kind: 'failed', failures: 2, reason: 'Big.', cause: 'too-large' } },
    'changes-failed problem 4 h: then sync CL --watch',
    / → Change the configuration/,
  ],
  [
    'a table that failed',
    { table: { kind: 'behind', runId: 's', tableRun: 'r', since: hoursAgo(4), reason: 'S3 failed.' } },
    'table-failed problem 4 h: sync CL --watch',
    'CL: The table of run s failed: S3 failed. The table is from run r. → Sync again: this builds the whole table again. If that fails too, read the log of the run.',
  ],
  [
    'a table that Lake Formation keeps from Glue',
    unlisted('AccessDeniedException'),
    'table-failed problem 4 h: then sync CL --watch',
    / → In Lake Formation, grant access .*\. Sync again: this updates Glue\.$/,
  ],
  [
    'a table in a Data Catalog whose key the function may not use',
    unlisted('GlueEncryptionException'),
    'table-failed problem 4 h: then sync CL --watch',
    / → The Data Catalog is encrypted: let the role /,
  ],
  [
    'a table whose database in Glue is gone',
    unlisted('EntityNotFoundException'),
    'table-failed problem 4 h: then sync CL --watch',
    / → Create the Glue database .* again\. Sync again/,
  ],
  [
    'a table that Glue could not store for another reason',
    unlisted('InternalServiceException'),
    'table-failed problem 4 h: sync CL --watch',
    'CL: Glue could not be updated for the table of run s (InternalServiceException). Athena finds an earlier table or none; readers without a catalog find this one. → Sync again: this updates Glue.',
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
    'schema-changed note 5 h: columns CL',
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
    'partitions-unused note 2 h: probe CL',
    'CL: the last run was scrolled without partitions: The search failed. → The snapshot is complete. See what the platform does with ranges.',
  ],
  [
    'that nothing can be erased before the next publication',
    {
      eraseWithinDays: 10,
      state: { latest: { ...latest, publishedAt: hoursAgo(241) } },
      settings: { enabled: false },
    },
    'erasure-waits problem 1 h: sync CL --watch',
  ],
  [
    'that nothing of it was erased for two days',
    { ...erasing, state: { latest, erasedAt: hoursAgo(50), tablesErasedAt: hoursAgo(20) } },
    'erasure-incomplete problem 2 h',
    /^The daily task has not erased all old snapshots and change sets of CL.* → .*the function Compare/,
  ],
  [
    'that its tables were never erased',
    { ...erasing, state: { latest, erasedAt: hoursAgo(20) }, settings: { enabled: false } },
    'erasure-incomplete problem 24 h',
    /old files of tables of CL.* → .*the function Tables/,
  ],
  [
    'increments whose last window is too old, with why',
    withIncrements({ ...ended(1), last: failed }),
    'increments-stale problem 0.5 h: sync CL --increment --watch',
    'The last increment window of CL ended 2026-11-21 11:00 UTC; rate(5 minutes) allows 30 min. The last increment failed: It timed out. → Start an increment, and check its result.',
  ],
  [
    'no increment to start while the platform is away',
    withIncrements({ last: { ...failed, cause: 'platform-away' } }),
    'increments-failed note 0.1 h',
    'CL: The last increment failed: It timed out. → Wait: the next increment covers its window when the platform is back.',
  ],
  [
    'an increment to start after one that failed for another reason than the last full sync',
    {
      ...withIncrements({ ...ended(1), last: failed }),
      runs: [run('failed', 1, { cause: 'platform-away' })],
    },
    'increments-stale problem 0.5 h: sync CL --increment --watch',
  ],
  [
    'which credentials increments need that the platform rejected',
    withIncrements({ ...ended(1), last: { ...failed, cause: 'credentials' } }),
    'increments-stale problem 0.5 h: credentials set',
  ],
  [
    'an increment to start if the last one succeeded after the platform was away',
    {
      ...withIncrements({
        ...ended(1),
        last: { ...failed, status: 'published', reason: undefined, endedAt: hoursAgo(0.5) },
      }),
      runs: [run('failed', 1, { cause: 'platform-away' })],
    },
    'increments-stale problem 0.5 h: sync CL --increment --watch',
  ],
  [
    'an object that increments need and that somebody has overwritten',
    withIncrements({ ...ended(1), last: { ...failed, cause: 'unreadable-object' } }),
    'increments-stale problem 0.5 h: verify CL --repair',
  ],
  [
    'that a full sync ends what skips increments for long',
    withIncrements({ ...ended(1), last: skipped }),
    'increments-stale problem 0.5 h: sync CL --watch',
    'The last increment window of CL ended 2026-11-21 11:00 UTC; rate(5 minutes) allows 30 min. The last increment was skipped: Too many changes. → Start a full sync.',
  ],
  [
    'since when increments have failed, and why the last one did',
    withIncrements({ ...ended(1), last: failed, failedSince: hoursAgo(0.9) }),
    'increments-stale problem 0.5 h: sync CL --increment --watch',
    /allows 30 min\. Increments have failed since 2026-11-21 11:06 UTC, the last one because: It timed out\. →/,
  ],
  [
    'how many increments have failed, as a note while the last window is recent',
    withIncrements({ last: failed, failedSince: hoursAgo(0.9), failures: 5 }),
    'increments-failed note 0.9 h: sync CL --increment --watch',
    'CL: 5 increments have failed since 2026-11-21 11:06 UTC, the last one because: It timed out. → The next increment covers its window. To try it now, start one.',
  ],
  [
    'a full sync that prevents increments, as a note',
    withIncrements(ended(9), { runId: runIdAt(8), until: now + 1 }),
    'increments-stale note 8.5 h',
    'The last increment window of CL ended 2026-11-21 03:00 UTC; rate(5 minutes) allows 30 min. The full sync run-8 has been in progress since 2026-11-21 04:00 UTC. → Wait: increments continue when it has ended.',
  ],
  [
    'a full sync that prevented increments until now, as a note',
    { ...withIncrements(ended(9)), runs: [run('published', 0.1)] },
    'increments-stale note 8.5 h: sync CL --increment --watch',
    / The full sync run-0\.1 was in progress until 2026-11-21 11:54/,
  ],
  [
    'that no increment has begun since the last full sync',
    { ...withIncrements(ended(9)), runs: [run('published', 2)] },
    'increments-stale problem 8.5 h: sync CL --increment --watch',
    'The last increment window of CL ended 2026-11-21 03:00 UTC; rate(5 minutes) allows 30 min. The schedule of increments of CL is rate(5 minutes), but no increment has started since 2026-11-21 10:00 UTC. → Check whether its schedule is disabled, and the log of the function Worker. Then start an increment.',
  ],
  [
    'that no increment has begun since the last one',
    withIncrements(ended(9)),
    'increments-stale problem 8.5 h: sync CL --increment --watch',
    /no increment has started since 2026-11-21 03:00 UTC\./,
  ],
  [
    'an increment that is in progress when windows are too old',
    withIncrements(ended(9), { kind: 'increment', runId: 'j', until: now + 1 }),
    'increments-stale problem 8.5 h',
    'The last increment window of CL ended 2026-11-21 03:00 UTC; rate(5 minutes) allows 30 min. The increment j is in progress. → Wait until it has ended, and check its result.',
  ],
  [
    'slots that increments do not get',
    withIncrements({ ...ended(1), last: { ...skipped, code: 'no-slot' } }),
    'increments-stale problem 0.5 h',
    / → .*'maxConcurrentScrolls'/,
  ],
  [
    'credentials that increments need',
    withIncrements({ ...ended(1), last: { ...skipped, code: 'no-credentials' } }),
    'increments-stale problem 0.5 h: credentials set',
  ],
  [
    'an increment to start after a full sync',
    withIncrements({ ...ended(1), last: { ...skipped, code: 'full-sync-began' } }),
    'increments-stale problem 0.5 h: sync CL --increment --watch',
  ],
  [
    'a failed increment as a note while the last window is recent',
    withIncrements({ last: failed, failedSince: hoursAgo(0.3) }),
    'increments-failed note 0.3 h: sync CL --increment --watch',
    'CL: Increments have failed since 2026-11-21 11:42 UTC, the last one because: It timed out. → The next increment covers its window. To try it now, start one.',
  ],
  [
    'a skipped increment',
    withIncrements({ last: skipped }),
    'increments-skipped note 0.1 h: sync CL --watch',
  ],
  [
    'changes that increments missed',
    { ...withIncrements(), audit: { missedByIncrements: 2 } },
    'increments-missed problem 5 h: then sync CL --watch',
    /found 2 changes that increments missed: either lookbackMinutes \(60\)/,
  ],
  [
    'changes that no increment can see, as a note',
    { ...withIncrements(), audit: { invisibleToIncrements: 1 } },
    'increments-invisible note 5 h',
    /1 change that no increment can see/,
  ],
  [
    'a schedule that was deleted, and is not what is configured either',
    scheduled({ existing: undefined, undeployed }),
    'schedule-missing problem: repair-schedule CL',
  ],
  [
    'a schedule that was changed, and is not what is configured either',
    scheduled({ differences: ['its role is a', 'so is b'], undeployed }),
    'schedule-changed problem 3 h: repair-schedule CL',
    'The schedule of CL was changed in the account: its role is a; so is b. → Restore the schedule as deployed.',
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
    'schedule-not-deployed problem',
    'The schedule of increments of CL is rate(1 hour) UTC; the configuration has rate(5 minutes) UTC. → Deploy: npm run deploy',
  ],
  [
    'a disabled schedule as a note, with since when',
    scheduled({ existing: { enabled: false, changedAt: hoursAgo(3) } }),
    'paused note 3 h: resume CL',
    'The schedule of CL is disabled, so it starts nothing. → Resume it when syncs are wanted again.',
  ],
  [
    'a pause as a note, with who paused it, since when, until when and why',
    { ...scheduled(), ...pausedUntil(hoursAgo(-8)) },
    'paused note 3 h: resume CL',
    'CL has been paused by user/ana since 2026-11-21 09:00 UTC, until 2026-11-21 20:00 UTC: Migration. → It ends by itself. Resume it if syncs are wanted earlier.',
  ],
  [
    'a pause without an end, whatever is known of the schedules',
    pausedUntil(null),
    'paused note 3 h: resume CL',
    'CL has been paused by user/ana since 2026-11-21 09:00 UTC: Migration. → Resume it when syncs are wanted again.',
  ],
  [
    'a pause whose end does not start the schedule again, which is disabled',
    { ...scheduled({ existing: { enabled: false, changedAt: hoursAgo(2) } }), ...pausedUntil(hoursAgo(-8)) },
    'paused note 3 h: resume CL',
    'CL has been paused by user/ana since 2026-11-21 09:00 UTC, until 2026-11-21 20:00 UTC: Migration. The schedule of CL is disabled, so it starts nothing. → Resume it when syncs are wanted again.',
  ],
])('names %s', (...[, change, head, text]) => {
  const [first, ...others] = problemsIn(change)
  expectProblem(first, head, text)
  expect(others).toEqual([])
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

it.each<[name: string, change: FactsChange, head: string, text?: string | RegExp]>([
  [
    'a change set whose deletes are changes of documents without an id, which is not to be accepted',
    { chain: refused, state: { latest, withoutId: { ...withoutId, documents: 420 } } },
    'changes-refused problem 4 h: then sync CL --watch',
    / In its snapshot, 420 of 700 documents do not have the field key .*\. Each change of such a document counts as a delete and a create\. → Set 'idField' of CL .* Only if no field identifies the documents/,
  ],
  [
    'a change set that deletes more than the documents without an id',
    { chain: refused, state: { latest, withoutId: { ...withoutId, documents: 419 } } },
    'changes-refused problem 4 h: review s',
  ],
  [
    'a snapshot of which no document has an id',
    { state: { latest, withoutId } },
    'documents-without-id note 30 h: then sync CL --watch',
    "CL: none of 700 documents has the field key as text, number or boolean. Each change of such a document counts as a delete and a create. → Set 'idField' of CL to a field that every document has, and deploy. Then sync it. Only if no field identifies the documents, leave it: a changed document then counts as deleted and created.",
  ],
  [
    'a snapshot of which some documents have no id',
    { state: { latest, withoutId: { ...withoutId, documents: 3 } } },
    'documents-without-id note 30 h',
    /3 of 700 documents do not have the field key/,
  ],
])('names first %s', (...[, change, head, text]) => expectProblem(problemsIn(change)[0], head, text))
