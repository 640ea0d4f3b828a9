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

/** Lines that belong to the state at the tip. A later one of a document replaces earlier ones. */
export interface StepLines {
  readonly holds: 'records' | 'documents'
  readonly lines: Buffer
}

/** What leads from the state of a run to the tip. */
export interface Steps {
  readonly range: ChangeRange
  readonly totals: SetCounts
  /** The set at the tip. */
  readonly last: SetManifest
  /** In the order in which they are applied. Throws `DamagedData`. */
  readonly lines: (read: ReadObject) => AsyncIterable<StepLines>
}

/**
 * Reads what to apply to a file of a run. The file may be the run's snapshot, which lacks the documents that its set
 * withholds. Throws `CommandError` if nothing leads from the run to the tip.
 */
export async function readSteps(store: ChangeStore, since: string, source: ChangeSource): Promise<Steps> {
  return (await stepsFromSnapshot(store, since, source)) ?? stepsBySets(store, since, source)
}

async function stepsBySets(store: ChangeStore, since: string, source: ChangeSource): Promise<Steps> {
  const range = await readRange(store, since, source)
  const manifests = await Promise.all(range.sets.map(({ runId }) => readSet(store, runId, source)))
  const last = manifests.at(-1) ?? (await readSet(store, range.tip, source))
  return {
    range,
    totals: totalsOf(range.sets),
    last,
    async *lines(read) {
      const full = manifests.findLastIndex(({ kind }) => kind !== 'increment')
      yield* records(recordLines(manifests.slice(0, full + 1), read))
      // What the last full set withholds replaces earlier versions. Increments since are newer, and a file of one of
      // them has these documents.
      if (full >= 0 || last.kind !== 'increment') yield* withheld(last, read)
      yield* records(recordLines(manifests.slice(full + 1), read))
    },
  }
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
    async *lines(read) {
      yield* withheld(last, read)
      yield* records(intactLines(parts, read))
    },
  }
}

async function* withheld({ withheldParts }: SetManifest, read: ReadObject): AsyncGenerator<StepLines> {
  for await (const lines of intactLines(objectsOfParts(withheldParts), read))
    yield { holds: 'documents', lines }
}

async function* records(all: AsyncIterable<Buffer>): AsyncGenerator<StepLines> {
  for await (const lines of all) yield { holds: 'records', lines }
}
