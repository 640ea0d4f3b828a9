import { isFullSet } from '../changes/chain-facts.ts'
import type { ChangePart, SetManifest, WithheldPart } from '../changes/changes.ts'
import type { SetSummary } from '../changes/changes-latest.ts'
import type { ManifestPage } from '../snapshots/manifest.ts'
import type { DescribedObject } from './read-pages.ts'

/** An object with documents that readers have. */
export type StatePart = DescribedObject & { readonly documents: number } & (
    | { readonly from: 'snapshot' }
    /** Documents that the snapshot lacks, or has in an older version than an increment delivered. */
    | ({ readonly from: 'withheld' } & Pick<WithheldPart, 'countedAbsences' | 'delivered'>)
    /** Records of increments since the snapshot. */
    | { readonly from: 'increment'; readonly holds: 'records' }
  )

/**
 * The state of a chain, which is what readers have who applied it: the documents of these parts in order. Of several
 * with one id the last one counts.
 */
export const stateParts = (snapshot: Snapshot, set: StateSet): readonly StatePart[] => [
  ...snapshotParts(snapshot),
  ...partsOver(set),
]

interface Snapshot {
  readonly pages: readonly ManifestPage[]
}

interface StateSet {
  readonly withheldParts: readonly WithheldPart[]
  /** Only after increments. */
  readonly incrementParts?: readonly ChangePart[]
}

export const snapshotParts = ({ pages }: Snapshot): readonly StatePart[] =>
  pages.map((page) => ({ ...page, from: 'snapshot' }))

/** What readers who begin apply over the snapshot of a set. */
export const partsOver = (set: StateSet): readonly StatePart[] => [
  ...set.withheldParts.map(
    ({ records, ...part }) => ({ ...part, documents: records, from: 'withheld' }) as const,
  ),
  ...(set.incrementParts ?? []).map((part) => recordsFrom('increment', part)),
]

/** Records of a full set, which delete documents too. */
type SetRecords = DescribedObject & {
  readonly documents: number
  readonly from: 'set'
  readonly holds: 'records'
}

/** An object that a reader applies. */
export type AppliedPart = StatePart | SetRecords

/**
 * What brings readers to the state of the tip, whose set is `last`. Over the snapshot of a full set readers apply what
 * this set withholds, also those who have an older version of it. `sets`: those since their run.
 */
export async function appliedParts(
  { sets, last, begins }: Applied,
  readSet: (runId: string) => Promise<Pick<SetManifest, 'kind' | 'parts'>>,
): Promise<readonly AppliedPart[]> {
  const full = sets.findLastIndex(isFullSet)
  const isOverSnapshot = full >= 0 || begins === 'at its snapshot'
  const read = isOverSnapshot ? sets.slice(0, full + 1) : sets
  const records = (await Promise.all(read.map(({ runId }) => readSet(runId)))).flatMap(({ kind, parts }) =>
    parts.map((part) => recordsFrom(kind === 'increment' ? 'increment' : 'set', part)),
  )
  return isOverSnapshot ? [...records, ...partsOver(last)] : records
}

interface Applied {
  readonly sets: readonly Pick<SetSummary, 'runId' | 'kind'>[]
  readonly last: SetManifest
  readonly begins: 'at its snapshot' | 'elsewhere'
}

const recordsFrom = <From extends 'increment' | 'set'>(from: From, { records, ...part }: ChangePart) =>
  ({ ...part, documents: records, from, holds: 'records' }) as const
