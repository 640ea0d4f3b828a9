import {
  chainSnapshotRun,
  incrementPartsOf,
  type SetCounts,
  type SetManifest,
} from '../../functions/state/changes/changes.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { objectsOfParts } from '../snapshot/checked-objects.ts'
import { intactLines } from '../snapshot/intact-lines.ts'
import {
  type ChangeRange,
  type ChangeSource,
  type ChangeStore,
  readRange,
  readSet,
  recordLines,
} from './chain.ts'
import { totalsOf } from './totals.ts'

/** What leads from the state of a run to the tip, after the documents that the tip withholds. */
export interface Steps {
  readonly range: ChangeRange
  readonly totals: SetCounts
  /** The set at the tip. */
  readonly last: SetManifest
  /** The records in order, as lines. Throws `DamagedData`. */
  readonly lines: (read: ReadObject) => AsyncIterable<Buffer>
}

/** Reads what to apply to the state of a run. Throws `CommandError` if nothing leads from it to the tip. */
export async function readSteps(store: ChangeStore, since: string, source: ChangeSource): Promise<Steps> {
  return (await stepsFromSnapshot(store, since, source)) ?? stepsBySets(store, since, source)
}

async function stepsBySets(store: ChangeStore, since: string, source: ChangeSource): Promise<Steps> {
  const range = await readRange(store, since, source)
  const manifests = await Promise.all(range.sets.map(({ runId }) => readSet(store, runId, source)))
  const last = manifests.at(-1) ?? (await readSet(store, range.tip, source))
  const lines = (read: ReadObject) => recordLines(manifests, read)
  return { range, totals: totalsOf(range.sets), last, lines }
}

/**
 * From the chain's snapshot, the parts that the tip names for readers that begin: the list of sets may lack the oldest
 * increments. Undefined for another run, and if no increment has followed.
 */
async function stepsFromSnapshot(
  store: ChangeStore,
  since: string,
  source: ChangeSource,
): Promise<Steps | undefined> {
  const chain = (await store.readLatest(source.entity))?.value
  if (!chain || chain.tip === since || chainSnapshotRun(chain) !== since) return undefined
  const { tip } = chain
  const last = await readSet(store, tip, source)
  const parts = objectsOfParts(incrementPartsOf(last))
  const delivered = parts.reduce((sum, { count }) => sum + count, 0)
  return {
    range: { since, tip, sets: chain.sets.filter(({ runId }) => runId > since) },
    totals: { ...totalsOf([]), delivered },
    last,
    lines: (read) => intactLines(parts, read),
  }
}
