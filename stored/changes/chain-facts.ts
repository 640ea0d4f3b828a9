import type { ChangePart, RefusedChanges, SetManifest, WithheldPart } from './changes.ts'
import type { ChangesLatest, SetSummary } from './changes-latest.ts'

/** The run whose snapshot the next comparison starts from. */
export const chainSnapshotRun = ({ tip, snapshot }: Pick<ChangesLatest, 'tip' | 'snapshot'>): string =>
  snapshot?.runId ?? tip

/** The records of a set. An increment does not know which of the documents that it delivers are new. */
export type SetCounts = Readonly<Record<'created' | 'updated' | 'deleted' | 'delivered', number>>

export function countsOf(set: SetSummary | SetManifest): SetCounts {
  if (set.kind === 'increment') return { created: 0, updated: 0, deleted: 0, delivered: set.records }
  const { created, updated, deleted } = set.kind === 'reset' ? { created: 0, updated: 0, deleted: 0 } : set
  return { created, updated, deleted, delivered: 0 }
}

export const recordsIn = ({ created, updated, deleted, delivered }: SetCounts): number =>
  created + updated + deleted + delivered

export const recordsOf = (set: SetSummary | SetManifest): number => recordsIn(countsOf(set))

/** The objects with versions that the next comparison needs. */
export const deliveredKeysOf = ({
  delivered,
  deliveredBefore,
}: Pick<ChangesLatest, 'delivered' | 'deliveredBefore'>): readonly string[] =>
  [delivered, deliveredBefore].flatMap((versions) => versions?.key ?? [])

/** The chain without its first sets. With a reason, nobody can begin at its tip, and the next set is a reset. */
export function shortenedChain(
  chain: ChangesLatest,
  firstKept: number,
  reason: string | null,
): ChangesLatest {
  const sets = chain.sets.slice(firstKept)
  return reason === null ? { ...chain, sets } : { ...chain, sets, reset: chain.reset ?? reason, erased: true }
}

/** Whether a comparison has published the set. */
export const isFullSet = <S extends Pick<SetManifest, 'kind'>>(
  set: S,
): set is Exclude<S, { readonly kind: 'increment' }> => set.kind !== 'increment'

/** The run of the chain's snapshot that a refused comparison started from. */
export const comparedSnapshotRun = ({ base, chainSnapshot }: RefusedChanges): string => chainSnapshot ?? base

/** The withheld documents that a set has stored. An increment only repeats those of the set before it. */
export const ownWithheldParts = (set: SetManifest): readonly WithheldPart[] =>
  set.kind === 'increment' ? [] : set.withheldParts

/** The parts that readers who begin apply after the withheld documents. */
export const incrementPartsOf = (set: SetManifest): readonly ChangePart[] =>
  set.kind === 'increment' ? set.incrementParts : []

/** The sum of the contents after the last full set; undefined if it is not known. */
export const snapshotContentSum = (set: SetManifest): string | undefined =>
  set.kind === 'increment' ? set.snapshotContentSum : set.stateContentSum
