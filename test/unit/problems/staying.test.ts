import { expect, it } from 'vitest'
import type { ReadFacts } from '../../../functions/problems/read-facts.ts'
import { openProblems } from '../../../functions/problems/staying.ts'
import { UnreadableObject } from '../../../stored/unreadable-object.ts'
import { type FactsChange, factsOf, hoursAgo, latest, now, run, runIdAt } from './facts-of.ts'

/** The problems of an entity of which the last look found one of this kind. */
function openAfter(kind: string, change: FactsChange, unread: ReadFacts['unread']) {
  const of = kind === 'platform-away' ? {} : { entity: 'CL' }
  const before = { kind, level: 'problem', since: hoursAgo(3), id: 'id', ...of } as const
  const problems = [{ ...before, evidence: 'Why.', action: 'Act.' }]
  const last = { problems, announced: problems, problemsAt: hoursAgo(0), entities: ['CL'] }
  const others = { orphans: [], alertFailures: [], notWoken: [] }
  return openProblems({ entities: [factsOf(change)], ...others, now, unread, last })
}

const unread = 'the bucket cannot be read'
const unreadable = new UnreadableObject('changes/CL/latest.json', 'is not JSON')
const increments = { schedule: 'rate(5 minutes)', lookbackMinutes: 60 }
const settings = { columns: ['id'] as never, schemaReport: true, increments }
const off = { settings: { changes: false, increments } } as const
const state = { latest: { ...latest, publishedAt: hoursAgo(13) } }
const none = { latest: undefined as never }
const newer = { latest: { ...latest, publishedAt: hoursAgo(1) } }
const disabled = { settings: { enabled: false } }
const [rejected, away] = ['credentials', 'platform-away'].map((cause) => [run('failed', 1, { cause })])
const cancelled = [run('cancelled', 0), run('cancelled', 1), run('skipped', 2)]
const ofLastRun = 'run-failed run-refused credentials platform-away'
const failed = { state: { latest, failedSince: hoursAgo(3) } }
it.each<[isOpen: boolean, kinds: string, what: string, change: FactsChange]>([
  [true, 'changes-refused changes-failed changes-erased unreadable-data', unread, {}],
  [true, 'table-failed schema-changed increments-missed increments-invisible', unread, { settings }],
  [true, 'changes-failed table-failed increments-missed', 'an unreadable object', { settings, unreadable }],
  [false, 'changes-refused changes-failed changes-erased increments-missed', unread, off],
  [false, 'table-failed schema-changed increments-missed increments-invisible', unread, {}],
  [false, 'paused stale documents-without-id erasure-waits', unread, {}],
  [true, 'stale', 'a run failed', { state, runs: [run('failed', 1)] }],
  [true, 'stale', 'the credentials were rejected', { state, runs: rejected ?? [] }],
  [false, 'stale', 'the entity was disabled', { state, ...disabled }],
  [true, 'partitions-unused', 'no run that scrolled is known', { settings: { partitions: {} as never } }],
  [false, 'partitions-unused', 'the partitions were removed', {}],
  [true, 'no-snapshot', 'a run was refused', { state: none, runs: [run('refused', 1)] }],
  [true, 'no-snapshot', 'the credentials were rejected', { state: none, runs: rejected ?? [] }],
  [false, 'no-snapshot', 'the platform was away', { state: none, runs: away ?? [] }],
  [false, 'no-snapshot', 'the entity was disabled', { state: none, ...disabled }],
  [false, 'no-snapshot', 'a run published', { runs: [run('published', 1)] }],
  [true, ofLastRun, 'newer runs were cancelled', { ...failed, runs: cancelled }],
  [true, ofLastRun, 'its run has expired', failed],
  [false, ofLastRun, 'a run published and expired', { state: newer }],
  [false, ofLastRun, 'a run published', { ...failed, runs: [...cancelled, run('published', 3)] }],
])('%s: an open problem, %s, stays open when %s', (...[isOpen, kinds, what, change]) => {
  const cannotRead = what === unread ? [{ entity: 'CL', failure: 'Denied.' }] : []
  for (const kind of kinds.split(' '))
    expect(openAfter(kind, change, cannotRead).some((open) => open.kind === kind)).toBe(isOpen)
})

it('a problem is shown since it was first known to have begun', () => {
  const sinceOf = (hours: number) => openAfter('run-failed', { runs: [run('failed', hours)] }, [])[0]?.since
  expect([sinceOf(5), sinceOf(1)]).toEqual([hoursAgo(5), hoursAgo(3)])
})

it('increments stay a problem while a full sync prevents them', () => {
  const last = { runId: 'i', status: 'published', reason: null, endedAt: hoursAgo(2) } as const
  const status = { window: { from: hoursAgo(3), to: hoursAgo(2) }, last, records: {} }
  const lease = { runId: runIdAt(1), worker: 'w', until: now, handedOff: false, direct: false }
  const change = { settings, state: { lease, increments: status }, runs: [run('running', 1)] }
  expect(openAfter('increments-stale', change, [])).toMatchObject([{ level: 'problem' }])
  expect(openAfter('paused', change, [])).toMatchObject([{ kind: 'increments-stale', level: 'note' }])
})
