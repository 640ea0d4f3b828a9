import { expect, it } from 'vitest'
import { openProblems } from '../../../functions/problems/staying.ts'
import { UnreadableObject } from '../../../functions/state/unreadable-object.ts'
import {
  type FactsChange,
  factsOf,
  hoursAgo,
  inProgress,
  latest,
  now,
  run,
  runIdAt,
  unpublished,
} from './facts-of.ts'

/** The problems of an entity of which the last look found one of this kind. */
function openAfter(kind: string, change: FactsChange, unread: readonly { entity: string }[] = []) {
  const before = { kind, level: 'problem', since: hoursAgo(3), id: 'id' } as const
  const of = kind === 'platform-away' ? {} : { entity: 'CL' }
  const problems = [{ ...before, ...of, evidence: 'Why.', action: 'Act.' }]
  return openProblems({
    entities: [factsOf(change)],
    orphans: [],
    alertFailures: [],
    notWoken: [],
    now,
    unread: unread.map((one) => ({ ...one, failure: new Error('S3 is away.') })),
    last: { problems, announced: problems, problemsAt: hoursAgo(0), entities: ['CL'] },
  })
}
const kindsAfter = (...args: Parameters<typeof openAfter>) => openAfter(...args).map(({ kind }) => kind)

const increments = { schedule: 'rate(5 minutes)', lookbackMinutes: 60 }
const columns = ['id'] as never
it.each<[kind: string, settings: NonNullable<FactsChange['settings']>, without: FactsChange['settings']]>([
  ['changes-refused', {}, { changes: false }],
  ['changes-failed', {}, { changes: false }],
  ['changes-erased', {}, { changes: false }],
  ['table-failed', { columns }, {}],
  ['schema-changed', { schemaReport: true }, {}],
  ['increments-missed', { increments }, { increments: undefined }],
  ['increments-invisible', { increments }, { increments, changes: false }],
])('%s stays open while the bucket cannot be read, if it is configured', (...[kind, settings, without]) => {
  const unreadable = new UnreadableObject('changes/CL/latest.json', 'is not JSON')
  expect(kindsAfter(kind, { settings }, [{ entity: 'CL' }])).toContain(kind)
  expect(kindsAfter(kind, { settings, unreadable })).toContain(kind)
  expect(kindsAfter(kind, { settings: without ?? {} }, [{ entity: 'CL' }])).not.toContain(kind)
})

it('what an unreadable object hides stays unknown while the bucket cannot be read', () => {
  expect(kindsAfter('unreadable-data', {}, [{ entity: 'CL' }])).toEqual(['unreadable-data'])
})

it.each(['paused', 'stale', 'documents-without-id', 'erasure-waits'])(
  '%s is over although the bucket cannot be read, which does not show it',
  (kind) => expect(kindsAfter(kind, {}, [{ entity: 'CL' }])).toEqual([]),
)

const old = { latest: { ...latest, publishedAt: hoursAgo(13) } }
const rejected = { cause: 'credentials' }
const away = { cause: 'platform-away' }
it.each<[kind: string, what: string, change: FactsChange, isOpen: boolean]>([
  ['stale', 'a run failed', { state: old, runs: [run('failed', 1)] }, true],
  ['stale', 'a run was refused', { state: old, runs: [run('refused', 1)] }, true],
  ['stale', 'the credentials were rejected', { state: old, runs: [run('failed', 1, rejected)] }, true],
  ['stale', 'the entity was disabled', { state: old, settings: { enabled: false } }, false],
  ['stale', 'a run published', { runs: [run('published', 1)] }, false],
  ['no-snapshot', 'a run is in progress', { ...unpublished, runs: inProgress().runs ?? [] }, true],
  ['no-snapshot', 'a run was refused', { ...unpublished, runs: [run('refused', 1)] }, true],
  ['no-snapshot', 'a run was rejected', { ...unpublished, runs: [run('failed', 1, rejected)] }, true],
  // It is in the problem of the deployment.
  ['no-snapshot', 'the platform was away', { ...unpublished, runs: [run('failed', 1, away)] }, false],
  ['no-snapshot', 'the entity was disabled', { ...unpublished, settings: { enabled: false } }, false],
  ['no-snapshot', 'a run published', { runs: [run('published', 1)] }, false],
])('of %s, after %s, an open problem stays open until its cause has gone', (...[kind, , change, isOpen]) =>
  expect(kindsAfter(kind, change).includes(kind)).toBe(isOpen),
)

const cancelled = { runs: [run('cancelled', 0), run('cancelled', 1), run('skipped', 2)] }
const afterFailure = { latest, failedSince: hoursAgo(3) }
const republished = { latest: { ...latest, publishedAt: hoursAgo(1) } }
it.each(['run-failed', 'run-refused', 'credentials', 'platform-away'])(
  '%s stays open when its run is not read any more, until another one counts or publishes',
  (kind) => {
    for (const change of [cancelled, { runs: [] }])
      expect(kindsAfter(kind, { ...change, state: afterFailure })).toEqual([kind])
    expect(kindsAfter(kind, { ...cancelled, state: republished })).toEqual([])
    expect(kindsAfter(kind, { runs: [...cancelled.runs, run('published', 3)], state: afterFailure })).toEqual(
      [],
    )
  },
)

it.each([
  ['earlier', 5, 5],
  ['later', 1, 3],
])(
  'a problem that the facts show began %s than the last look knew is shown since the first',
  (...[, failed, since]) =>
    expect(openAfter('run-failed', { runs: [run('failed', failed)] })).toMatchObject([
      { since: hoursAgo(since) },
    ]),
)

it('increments stay a problem while a full sync prevents them', () => {
  const window = { from: hoursAgo(3), to: hoursAgo(2) }
  const last = { runId: 'i', status: 'published', reason: null, endedAt: hoursAgo(2) } as const
  const lease = { runId: runIdAt(1), worker: 'w', until: now, handedOff: false, direct: false }
  const runs = [run('running', 1, { endedAt: undefined })]
  const state = { latest, lease, increments: { window, last, records: {} } }
  const change = { settings: { increments }, runs, state }
  expect(openAfter('increments-stale', change)).toMatchObject([
    { kind: 'increments-stale', level: 'problem' },
  ])
  expect(openAfter('paused', change)).toMatchObject([{ kind: 'increments-stale', level: 'note' }])
})
