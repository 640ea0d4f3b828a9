import type { AbsenceEvidence } from '../../stored/chain/absence.ts'
import type {
  ChangeCounts,
  ChangePart,
  IncrementAudit,
  KeptByDelivery,
  ResetManifest,
  WithheldPart,
} from '../../stored/changes/changes.ts'
import { idSumText } from '../../stored/documents/id-hash.ts'
import { refusal } from '../../stored/join/guard.ts'
import { IndexedSides, type IndexSource, indexSides, type StateSide } from '../../stored/join/index-sides.ts'
import { join } from '../../stored/join/join.ts'
import { selected } from '../../stored/join/selected-documents.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import { pick } from '../runtime/pick.ts'
import type { DeliveredRules, VersionsAfterSet } from './records/delivered-rules.ts'
import type { ReviewedSet } from './records/reviewed.ts'
import { Selection } from './records/selection.ts'
import { SnapshotIds } from './records/snapshot-ids.ts'
import { type Writers, writeRecords, writeReviewed } from './records/write-records.ts'

export interface ComparisonRules {
  readonly ignore: readonly string[]
  /** What the absence of a document from the target means. */
  readonly evidence: AbsenceEvidence
  /** More deletes than this refuse the set; infinite if they are accepted. */
  readonly maxDeletePercent: number
  /** Undefined if no increment has extended the chain. */
  readonly delivered: DeliveredRules | undefined
  /** What a person reviewed and accepted: a set, which bounds the deletes, or the snapshot, which has to show them. */
  readonly reviewed: ReviewedSet | { readonly kind: 'snapshot' } | undefined
}

export type Comparison =
  | (Deletes & {
      readonly kind: 'refused'
      readonly reason: string
      readonly reviewedParts: readonly ChangePart[]
    })
  | (State & {
      readonly kind: 'changes'
      readonly counts: ChangeCounts
      readonly audit: IncrementAudit
      readonly versions: VersionsAfterSet
      /** Whether documents that were withheld at the base still are. */
      readonly carriesWithheld: boolean
      readonly parts: readonly ChangePart[]
      readonly withheldParts: readonly WithheldPart[]
      readonly keptByDelivery?: KeptByDelivery
    })

/** The state that a set leads to: how many documents it has, and the sum of their id hashes. */
type State = Pick<ResetManifest, 'stateDocuments' | 'stateIdSum'>

/** Documents that a set deletes, and those of the state before it. */
export type Deletes = Pick<ChangeCounts, 'deleted' | 'baseDocuments'>

/** Compares the state at the tip with a snapshot. Nothing is published before the guard has passed. */
export async function compareState(
  io: IndexSource & Writers,
  { base, target, rules }: { base: StateSide; target: Manifest; rules: ComparisonRules },
): Promise<Comparison> {
  const { ignore, maxDeletePercent, delivered } = rules
  const { parts } = base
  using indexed = new IndexedSides()
  const reviewed =
    rules.reviewed?.kind === 'snapshot'
      ? { ...rules.reviewed, ids: new SnapshotIds(indexed.base, parts) }
      : rules.reviewed
  const selection = new Selection(parts, { ...rules, reviewed })
  await indexSides(io, { base, target }, indexed)
  const joined = join(indexed, selection)
  for await (const { document, ...position } of selected(io, parts, selection.undecided))
    selection.decide(position, document)
  const deletes = { deleted: selection.deleted, baseDocuments: joined.baseDocuments }
  const { idField, pages } = target
  const sides = { source: io, base: parts, target: pages, idField, ignore, delivered }
  const reason = refusal({ ...deletes, maxDeletePercent, target })
  if (reason && !selection.isReviewed)
    return { kind: 'refused', reason, ...deletes, reviewedParts: await writeReviewed(sides, selection, io) }
  const written = await writeRecords(sides, selection, io)
  const unchanged = joined.unchanged + written.unchanged
  const { held, audit, versions } = written
  const { baseDocuments } = joined
  const keptByDelivery = selection.keptByDelivery()
  return {
    kind: 'changes',
    ...(keptByDelivery && { keptByDelivery }),
    counts: {
      ...pick(written, 'created', 'updated', 'deleted', 'rewritten', 'withheld'),
      unchanged,
      baseDocuments,
      ...(delivered && { held }),
    },
    audit,
    versions,
    carriesWithheld: selection.carriesWithheld,
    parts: await io.records.finish(),
    withheldParts: await finishWithheld(io.withheld),
    stateDocuments: joined.targetDocuments + written.withheld,
    stateIdSum: idSumText(joined.targetIdSum + written.withheldIdSum),
  }
}

async function finishWithheld(writers: Writers['withheld']): Promise<WithheldPart[]> {
  const { uncounted, counted, delivered } = writers
  return [
    ...(await uncounted.finish()).map((part) => ({ ...part, countedAbsences: 0 as const })),
    ...(await counted.finish()).map((part) => ({ ...part, countedAbsences: 1 as const })),
    ...(await delivered.finish()).map((part) => ({ ...part, countedAbsences: 0, delivered: true }) as const),
  ]
}
