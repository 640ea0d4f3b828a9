import { expect, it } from 'vitest'
import { findRefusal, type RefusalStores } from '../../../../operator/review/review.ts'

const openedAt = '2026-11-21T12:00:00.000Z'
const partitionedBy = { by: 'createdIn', absences: 'unknown' }
const manifest = (runId: string) => ({ runId, openedAt, partitionedBy })

/** What is stored of CL: r2 was refused after r1 was published, and the change set of r2 after the tip r1. */
const stored = {
  refused: new Map([['r2', manifest('r2')]]),
  manifests: new Map(['r1', 'r2'].map((runId) => [runId, manifest(runId)])),
  latest: { value: { runId: 'r1' } } as object | undefined,
  sets: new Map<string, object>([['r1', { value: { withheldParts: [{ key: 'of r1' }] } }]]),
  refusedChanges: new Map<string, object>([
    ['r2', { base: 'r1', reason: 'It deletes 60%.', reviewedParts: ['reviewed'] }],
  ]),
  chain: { value: { tip: 'r1' } } as { value: object } | undefined,
}

function find(run: object, change: Partial<typeof stored> = {}) {
  const { refused, manifests, latest, sets, refusedChanges, chain } = { ...stored, ...change }
  const ofEntity =
    <T>(found: (runId: string) => T) =>
    async (entity: string, runId = '') =>
      entity === 'CL' ? found(runId) : undefined
  const stores = {
    snapshots: {
      readRefused: ofEntity((runId) => refused.get(runId)),
      readManifest: ofEntity((runId) => manifests.get(runId)),
      readLatest: ofEntity(() => latest),
    },
    changes: {
      readRefused: ofEntity((runId) => refusedChanges.get(runId)),
      readManifest: ofEntity((runId) => sets.get(runId)),
      readLatest: ofEntity(() => chain),
    },
  } as unknown as RefusalStores
  const refusedRun = { entity: 'CL', runId: 'r2', status: 'refused', reason: 'Why.' }
  return findRefusal(stores, { ...refusedRun, ...run } as never)
}

const ofRun = { entity: 'CL', runId: 'r2', before: manifest('r1'), after: manifest('r2') }
const snapshot = { ...ofRun, guard: 'snapshot', reason: 'Why.', over: [], deleted: undefined }
const changes = {
  ...snapshot,
  guard: 'changes',
  reason: 'It deletes 60%.',
  over: [{ key: 'of r1', from: 'withheld' }],
  deleted: ['reviewed'],
}
const increment = (withheld: string, ...parts: string[]) => {
  const [withheldParts, incrementParts] = [[withheld], parts].map((keys) => keys.map((key) => ({ key })))
  return { value: { kind: 'increment', withheldParts, incrementParts } }
}
const published = { status: 'published', reason: null }

it.each<[name: string, run: object, change: Partial<typeof stored>, expected: object | undefined]>([
  ['is its snapshot, with the one that readers have', {}, {}, snapshot],
  ['is a first snapshot, with none before', {}, { latest: undefined }, { ...snapshot, before: undefined }],
  ['is its snapshot, for a reason that is not known', { reason: null }, {}, { ...snapshot, reason: '' }],
  ['is gone after 30 days', {}, { refused: new Map() }, undefined],
  ['is its change set, with the snapshot of the tip', published, {}, changes],
  [
    'is its change set, with what increments have delivered until then, and not since',
    published,
    {
      refusedChanges: new Map([
        ['r2', { base: 'i1', chainSnapshot: 'r1', reason: 'It deletes 60%.', reviewedParts: ['reviewed'] }],
      ]),
      sets: new Map([
        ['i1', increment('of i1', 'i1')],
        ['i2', increment('of i2', 'i1', 'i2')],
      ]),
      chain: { value: { tip: 'i2', snapshot: { runId: 'r1' } } },
    },
    {
      ...changes,
      over: [
        { key: 'of i1', from: 'withheld' },
        { key: 'i1', from: 'increment', holds: 'records' },
      ],
    },
  ],
  [
    'is its change set that starts the chain again, which keeps no document that its snapshot lacks',
    published,
    { refusedChanges: new Map([['r2', { base: 'r1', kind: 'reset', reason: 'It deletes 60%.' }]]) },
    { ...changes, deleted: undefined },
  ],
  ['is nothing if its change set was not refused', published, { refusedChanges: new Map() }, undefined],
  ['is nothing once the chain has moved on', published, { chain: { value: { tip: 'r2' } } }, undefined],
  ['is nothing without a chain', published, { chain: undefined }, undefined],
  [
    'is a change set although the snapshot of the tip is gone',
    published,
    { manifests: new Map([['r2', manifest('r2')]]) },
    { ...changes, before: undefined },
  ],
  ['is nothing if the snapshot of the run is gone', published, { manifests: new Map() }, undefined],
])('what was refused in a run: %s', async (...[, run, change, expected]) =>
  expect(await find(run, change)).toEqual(expected),
)
