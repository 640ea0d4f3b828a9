import { type AppliedPart, appliedParts } from '../../stored/chain/state-parts.ts'
import { chainSnapshotRun, countsOf, isFullSet, type SetCounts } from '../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import type { SetSummary } from '../../stored/changes/changes-latest.ts'
import { setsSince } from '../../stored/changes/sets-since.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { objectsOfPages } from '../snapshot/checked-objects.ts'
import { intactLines } from '../snapshot/intact-lines.ts'
import {
  type ChangeRange,
  type ChangeSource,
  leadsNowhere,
  requireChain,
  requireSet,
  requireSetCount,
} from './chain.ts'
import { CannotUpdate } from './write-state.ts'

/** Lines that belong to the state at the tip. A later one of a document replaces earlier ones. */
export interface StepLines {
  readonly holds: 'records' | 'documents'
  readonly lines: Buffer
}

/** What leads from the state of a run to the tip. */
export interface Steps {
  readonly range: ChangeRange
  readonly totals: SetCounts
  readonly last: SetManifest
  /** In the order in which they are applied. Throws `DamagedData`. */
  readonly lines: (read: ReadObject) => AsyncIterable<StepLines>
}

/**
 * Reads what to apply to a file of a run. The file may be the run's snapshot, which lacks the documents that its set
 * withholds. Throws `CommandError` if nothing leads from the run to the tip, and `CannotUpdate` if that was erased.
 */
export async function readSteps(store: ChangeSetStore, since: string, source: ChangeSource): Promise<Steps> {
  const { value: chain } = await requireChain(store, source)
  const isSnapshot = chainSnapshotRun(chain) === since
  // The list of sets may lack the oldest increments since the snapshot. The tip names what they delivered.
  const sets = setsSince(chain, since) ?? (isSnapshot ? chain.sets : undefined)
  if (!sets) throw leadsNowhere(source, since, 'then continue from its run')
  if (chain.erased && (isSnapshot || sets.some(isFullSet)))
    throw new CannotUpdate(
      `Nothing leads from run ${since} to the tip ${chain.tip}: a part of what this takes was erased.`,
    )
  const last = await requireSet(store, chain.tip, source)
  const begins = isSnapshot ? 'at its snapshot' : 'elsewhere'
  const parts = await appliedParts({ sets, last, begins }, async (runId) => {
    const set = await requireSet(store, runId, source)
    requireSetCount(set)
    return set
  })
  return {
    range: { since, tip: chain.tip, sets },
    totals: { ...totalsOf(sets), delivered: deliveredIn(parts) },
    last,
    async *lines(read) {
      let at = 0
      for await (const lines of intactLines(objectsOfPages(parts), read))
        yield { holds: parts[at++]?.holds ?? 'documents', lines }
    },
  }
}

const deliveredIn = (parts: readonly AppliedPart[]) =>
  parts.reduce((sum, { from, documents }) => (from === 'increment' ? sum + documents : sum), 0)

export function totalsOf(sets: readonly SetSummary[]): SetCounts {
  const sum = (key: keyof SetCounts) => sets.reduce((total, set) => total + countsOf(set)[key], 0)
  return {
    created: sum('created'),
    updated: sum('updated'),
    deleted: sum('deleted'),
    delivered: sum('delivered'),
  }
}
