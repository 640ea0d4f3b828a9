import { expect, it } from 'vitest'
import type { StoppedChain } from '../../../functions/problems/chain-state.ts'
import { readChainState, stoppedStep, stoppedText } from '../../../functions/problems/chain-state.ts'
import { commandOf } from '../../../functions/problems/problem.ts'
import type { RefusedChanges } from '../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import type {
  RecordedFailure,
  UnpublishedComparison,
} from '../../../stored/changes/unpublished-comparison.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const snapshot = (publishedAt = minutesAgo(60)) => ({ runId: 'r2', publishedAt })
const atR1: ChangesLatest = { tip: 'r1', sets: [], announced: true, reset: null, failures: null }
const chain = (change: Partial<ChangesLatest> = {}): ChangesLatest => ({ ...atR1, ...change })
const ofR2 = { version: 1, entity: 'CL', runId: 'r2', base: 'r1', kind: 'changes' } as const
const tooMany = { refusedAt: minutesAgo(59), reason: 'Too many.', deleted: 420, baseDocuments: 700 }
const refused = (change: Partial<RefusedChanges> = {}): RefusedChanges => ({ ...ofR2, ...tooMany, ...change })
const chainSnapshot = (runId: string) => ({ runId }) as NonNullable<ChangesLatest['snapshot']>
const asked = chain({ reset: 'An operator requested the reset.' })
const failures = { count: 2, first: minutesAgo(90), last: minutesAgo(59) }
type Published = Parameters<typeof readChainState>[2] & {
  readonly refused: RefusedChanges | undefined
  readonly unpublished: UnpublishedComparison | undefined
}
/** A comparison of run r2 that would have begun the chain. */
const recorded = (base: string | null = null): RecordedFailure => {
  const why = { cause: 'other', reason: 'Access denied.', since: minutesAgo(59) } as const
  return { kind: 'failed', runId: 'r2', base, count: 1, ...why }
}
const isRecorded = { kind: 'failed', since: minutesAgo(59), failures: 1, reason: 'Access denied.' }
const r3 = (minutes: number) => ({ runId: 'r3', publishedAt: minutesAgo(minutes) })
const isRefused = { kind: 'refused', runId: 'r2', tip: 'r1', since: minutesAgo(59), deleted: 420 }
const isMissing = {
  kind: 'failed',
  runId: 'r2',
  tip: 'r1',
  since: minutesAgo(60),
  failures: 0,
  reason: undefined,
}

const pending = { kind: 'pending' }

it.each<[name: string, published: Partial<Published>, state: object]>([
  ['there is nothing before a snapshot', { snapshot: null }, { kind: 'none' }],
  ['the first comparison may be running', { chain: undefined, snapshot: snapshot(minutesAgo(14)) }, pending],
  ['the first comparison ended without a record', { chain: undefined }, { ...isMissing, tip: null }],
  [
    'the first comparison failed',
    { chain: undefined, snapshot: snapshot(minutesAgo(1)), unpublished: recorded() },
    { ...isRecorded, tip: null, cause: 'other' },
  ],
  [
    'the first comparison failed, although a newer run is being compared',
    { chain: undefined, snapshot: r3(1), unpublished: recorded() },
    { ...isRecorded, runId: 'r3', tip: null },
  ],
  ['change sets were off', { chain: undefined, unpublished: { kind: 'off', runId: 'r2' } }, { kind: 'none' }],
  [
    'change sets were off, and the first comparison since ended without a record',
    { chain: undefined, snapshot: r3(60), unpublished: { kind: 'off', runId: 'r2' } },
    { ...isMissing, runId: 'r3', tip: null },
  ],
  [
    'a comparison failed for a reason that may not last, although a newer run is being compared',
    { snapshot: r3(1), unpublished: recorded('r1') },
    { ...isRecorded, runId: 'r3', tip: 'r1' },
  ],
  ['a reset was requested after the failure', { chain: asked, unpublished: recorded('r1') }, pending],
  ['the reset failed as well', { chain: asked, unpublished: recorded() }, { ...isRecorded, tip: 'r1' }],
  [
    'a reset was requested long after the first comparison failed',
    { chain: chain({ tip: 'r2', reset: 'Again.' }), snapshot: r3(60), unpublished: recorded() },
    pending,
  ],
  ['they lead to the published run', { chain: chain({ tip: 'r2' }) }, { kind: 'current' }],
  [
    'increments lead further than the published run',
    { chain: chain({ tip: 'r3', snapshot: chainSnapshot('r2') }) },
    { kind: 'current' },
  ],
  [
    'increments follow the last full set although a comparison was refused',
    { chain: chain({ tip: 'r3', snapshot: chainSnapshot('r1') }), refused: refused() },
    isRefused,
  ],
  [
    'increments had followed it before the comparison was refused',
    {
      chain: chain({ tip: 'r4', snapshot: chainSnapshot('r1') }),
      refused: refused({ base: 'r1b', chainSnapshot: 'r1' }),
    },
    isRefused,
  ],
  ['the comparison was refused', { refused: refused() }, isRefused],
  ['the comparison of another run was refused', { refused: refused({ runId: 'r1' }) }, isMissing],
  ['it was refused before the tip moved', { refused: refused({ base: 'r0' }) }, isMissing],
  ['a reset was requested after the refusal', { refused: refused(), chain: asked }, pending],
  [
    'comparisons of the published run failed',
    { chain: chain({ failures }) },
    { kind: 'failed', failures: 2, since: minutesAgo(90) },
  ],
  [
    'only comparisons of an earlier run failed, and the last one may be in progress',
    { chain: chain({ failures }), snapshot: snapshot(minutesAgo(14)) },
    pending,
  ],
  [
    'readers cannot begin, whether or not a newer snapshot is being compared',
    { chain: chain({ reset: 'Erased.', erased: true }), snapshot: r3(1) },
    { kind: 'erased', reason: 'Erased.' },
  ],
  [
    'readers cannot begin, although the sets lead to the snapshot',
    { chain: chain({ tip: 'r2', reset: 'Erased.', erased: true }) },
    { kind: 'erased', reason: 'Erased.' },
  ],
  ['the comparison may be in progress', { snapshot: snapshot(minutesAgo(14)) }, pending],
  [
    'the comparison would have ended',
    { snapshot: snapshot(minutesAgo(15)) },
    { ...isMissing, since: minutesAgo(15) },
  ],
])('knows that %s', async (_, published, state) => {
  const { refused, unpublished } = published
  const store = { readRefused: async () => refused, readUnpublished: async () => unpublished }
  const known = { snapshot: snapshot(), chain: chain(), ...published }
  expect(await readChainState(store, 'CL', { ...known, now })).toMatchObject(state)
})

it.each([
  ['the sets are behind the snapshot', chain(), ['CL r2'], 'refused'],
  ['the sets lead to it', chain({ tip: 'r2' }), [], 'current'],
  ['there are sets', undefined, [], 'failed'],
] as const)('reads what was refused only if %s', async (...[, stored, reads, kind]) => {
  const read: string[] = []
  const readRefused = async (entity: string, runId: string) => {
    read.push(`${entity} ${runId}`)
    return refused()
  }
  const store = { readRefused, readUnpublished: async () => undefined }
  const state = await readChainState(store, 'CL', { snapshot: snapshot(), chain: stored, now })
  expect([state.kind, read]).toEqual([kind, reads])
})

const stopped = { runId: 'r2', tip: 'r1', since: minutesAgo(60) }
const failed = (failures: number, cause: RecordedFailure['cause'], reason?: string): StoppedChain => ({
  ...stopped,
  kind: 'failed',
  failures,
  reason,
  cause,
})
it.each<[StoppedChain, text: string, command: string]>([
  [
    { ...stopped, kind: 'refused', deleted: 1420, baseDocuments: 2700 },
    'The change set of run r2 was refused: it deletes 1,420 of 2,700 documents. The change sets stop at run r1.',
    'review r2',
  ],
  [
    failed(1, 'too-large'),
    'Run r2 is published without a change set: comparisons failed 1 time since 2026-11-21 11:00 UTC. The change sets stop at run r1.',
    'sync CL --watch',
  ],
  [
    failed(2, 'too-large'),
    'Run r2 is published without a change set: comparisons failed 2 times since 2026-11-21 11:00 UTC. The change sets stop at run r1.',
    'changes CL --reset',
  ],
  [
    failed(2, 'damaged', 'A page is damaged.'),
    'Run r2 is published without a change set: comparisons failed 2 times since 2026-11-21 11:00 UTC (A page is damaged). The change sets stop at run r1.',
    'verify CL --repair',
  ],
  [
    { ...failed(3, 'too-large', 'Too large.'), tip: null },
    'Run r2 is published without a change set: comparisons failed 3 times since 2026-11-21 11:00 UTC (Too large). There is no change set yet.',
    'sync CL --watch',
  ],
  [
    failed(0, 'other'),
    'Run r2 is published without a change set. The change sets stop at run r1.',
    'sync CL --watch',
  ],
])('describes %j with the command that continues', (state, text, command) => {
  expect([stoppedText(state), commandOf(stoppedStep('CL', state))]).toEqual([text, command])
})
