import { expect, it } from 'vitest'
import {
  readChainState,
  type StoppedChain,
  stoppedStep,
  stoppedText,
} from '../../../functions/problems/chain-state.ts'
import { commandOf } from '../../../functions/problems/steps.ts'
import type { RefusedChanges } from '../../../functions/state/changes/changes.ts'
import type { ChangesLatest } from '../../../functions/state/changes/changes-latest.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const snapshot = (publishedAt = minutesAgo(60)) => ({ runId: 'r2', publishedAt })
const chain = (change: Partial<ChangesLatest> = {}): ChangesLatest => ({
  tip: 'r1',
  sets: [],
  announced: true,
  reset: null,
  failures: null,
  ...change,
})
const refused = (change: Partial<RefusedChanges> = {}): RefusedChanges => ({
  version: 1,
  entity: 'CL',
  runId: 'r2',
  base: 'r1',
  kind: 'changes',
  refusedAt: minutesAgo(59),
  reason: 'Too many.',
  deleted: 420,
  baseDocuments: 700,
  ...change,
})
const chainSnapshot = (runId: string) => ({ runId }) as NonNullable<ChangesLatest['snapshot']>
const failures = { count: 2, first: minutesAgo(90), last: minutesAgo(59) }
type Published = Parameters<typeof readChainState>[2] & { readonly refused: RefusedChanges | undefined }
const isRefused = { kind: 'refused', runId: 'r2', tip: 'r1', since: minutesAgo(59), deleted: 420 }
const isMissing = {
  kind: 'failed',
  runId: 'r2',
  tip: 'r1',
  since: minutesAgo(60),
  failures: 0,
  reason: undefined,
}

it.each<[name: string, published: Partial<Published>, state: object]>([
  ['there is nothing before a snapshot', { snapshot: null }, { kind: 'none' }],
  ['there is nothing before the first set', { chain: undefined }, { kind: 'none' }],
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
  [
    'a reset was requested after the refusal',
    { refused: refused(), chain: chain({ reset: 'An operator requested the reset.' }) },
    { kind: 'pending' },
  ],
  [
    'comparisons of the published run failed',
    { chain: chain({ failures }) },
    { kind: 'failed', failures: 2, since: minutesAgo(90) },
  ],
  [
    'only comparisons of an earlier run failed, and the last one may be in progress',
    { chain: chain({ failures }), snapshot: snapshot(minutesAgo(14)) },
    { kind: 'pending' },
  ],
  ['the comparison may be in progress', { snapshot: snapshot(minutesAgo(14)) }, { kind: 'pending' }],
  [
    'the comparison would have ended',
    { snapshot: snapshot(minutesAgo(15)) },
    { ...isMissing, since: minutesAgo(15) },
  ],
])('knows that %s', async (_, published, state) => {
  const { refused: refusal, ...known } = {
    snapshot: snapshot(),
    chain: chain(),
    refused: undefined,
    ...published,
  }
  const store = { readRefused: async () => refusal }
  expect(await readChainState(store, 'CL', { ...known, now })).toMatchObject(state)
})

it.each([
  ['the sets are behind the snapshot', chain(), ['CL r2'], 'refused'],
  ['the sets lead to it', chain({ tip: 'r2' }), [], 'current'],
  ['there are no sets', undefined, [], 'none'],
] as const)('reads what was refused only if %s', async (...[, stored, reads, kind]) => {
  const read: string[] = []
  const readRefused = async (entity: string, runId: string) => {
    read.push(`${entity} ${runId}`)
    return refused()
  }
  const state = await readChainState({ readRefused }, 'CL', { snapshot: snapshot(), chain: stored, now })
  expect([state.kind, read]).toEqual([kind, reads])
})

const stopped = { runId: 'r2', tip: 'r1', since: minutesAgo(60) }
it.each<[StoppedChain, text: string, command: string]>([
  [
    { ...stopped, kind: 'refused', deleted: 1420, baseDocuments: 2700 },
    'The change set of run r2 was refused: it deletes 1,420 of 2,700 documents. The change sets stop at run r1.',
    'review r2',
  ],
  [
    { ...stopped, kind: 'failed', failures: 1, reason: undefined, isDamaged: false },
    'Run r2 is published without a change set: comparisons failed 1 time since 2026-11-21 11:00 UTC. The change sets stop at run r1.',
    'sync CL --watch',
  ],
  [
    { ...stopped, kind: 'failed', failures: 2, reason: undefined, isDamaged: false },
    'Run r2 is published without a change set: comparisons failed 2 times since 2026-11-21 11:00 UTC. The change sets stop at run r1.',
    'changes CL --reset',
  ],
  [
    { ...stopped, kind: 'failed', failures: 2, reason: 'A page is damaged.', isDamaged: true },
    'Run r2 is published without a change set: comparisons failed 2 times since 2026-11-21 11:00 UTC (A page is damaged). The change sets stop at run r1.',
    'verify CL --repair',
  ],
  [
    { ...stopped, kind: 'failed', failures: 0, reason: undefined, isDamaged: false },
    'Run r2 is published without a change set. The change sets stop at run r1.',
    'sync CL --watch',
  ],
])('describes %j with the command that continues', (state, text, command) => {
  expect([stoppedText(state), commandOf(stoppedStep('CL', state))]).toEqual([text, command])
})
