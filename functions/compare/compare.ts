import type { Evidence } from '../chain/absence.ts'
import { ContentSum } from '../chain/content-sum.ts'
import type { PageSource, StoredObject } from '../chain/read-pages.ts'
import type { StatePart } from '../chain/state-parts.ts'
import { formatCount, formatDocuments, plural } from '../runtime/format.ts'
import { pick } from '../runtime/pick.ts'
import type {
  ChangeCounts,
  ChangePart,
  IncrementAudit,
  KeptByDelivery,
  WithheldPart,
} from '../state/changes/changes.ts'
import { ComparisonFailed } from './failure.ts'
import { refusal } from './join/guard.ts'
import { IndexedSides, indexSides } from './join/index-sides.ts'
import { type JoinCounts, type JoinResults, join } from './join/join.ts'
import type { DeliveredRules, VersionsAfterSet } from './records/delivered-rules.ts'
import { type KnownState, proveChanges, type State } from './records/proof.ts'
import type { ReviewedSet } from './records/reviewed.ts'
import { type ComparedSide, selected } from './records/selected-documents.ts'
import { Selection, versions } from './records/selection.ts'
import { SnapshotIds } from './records/snapshot-ids.ts'
import { type Writers, writeRecords, writeReviewed } from './records/write-records.ts'

/** A snapshot as its manifest describes it. */
export interface ComparedSnapshot {
  readonly pages: readonly StoredObject[]
  readonly documents: number
  readonly uniqueIds: number
  readonly withoutId?: number
}

/** The state of the chain at the tip. */
export interface Base {
  readonly parts: readonly StatePart[]
  /** Lines of the chain's snapshot. */
  readonly snapshotDocuments: number
  readonly known: KnownState
}

export interface ComparisonRules {
  readonly idField: string
  readonly ignore: readonly string[]
  /** What the absence of a document from the target means. */
  readonly evidence: Evidence
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
      /** How the sum of the contents differs from that of the last full set. */
      readonly contentChange: bigint
      /** Whether documents that were withheld at the base still are. */
      readonly carriesWithheld: boolean
      readonly parts: readonly ChangePart[]
      readonly withheldParts: readonly WithheldPart[]
      readonly keptByDelivery?: KeptByDelivery
    })

/** Documents that a set deletes, and those of the state before it. */
export type Deletes = Pick<ChangeCounts, 'deleted' | 'baseDocuments'>

/** Compares the state at the tip with a snapshot. Nothing is published before the guard has passed. */
export async function compareSnapshots(
  io: PageSource & Writers,
  { base, target, rules }: { base: Base; target: ComparedSnapshot; rules: ComparisonRules },
): Promise<Comparison> {
  const { idField, ignore, maxDeletePercent, delivered } = rules
  const { parts } = base
  using indexed = new IndexedSides()
  const reviewed =
    rules.reviewed?.kind === 'snapshot'
      ? { ...rules.reviewed, ids: new SnapshotIds(indexed.base.entries, parts) }
      : rules.reviewed
  const selection = new Selection(parts, { ...rules, reviewed })
  const joined = await joinSnapshots(io, { base, target, idField, indexed }, selection)
  const baseSide = { objects: parts, saved: indexed.base.saved }
  for await (const { read, ...position } of selected(io, baseSide, selection.undecided))
    selection.decide(position, read())
  const deletes = { deleted: selection.deleted, baseDocuments: joined.baseDocuments }
  const sides = {
    source: io,
    base: baseSide,
    target: { objects: target.pages, saved: indexed.target.saved },
    idField,
    ignore,
    delivered,
  }
  const reason = refusal({ ...deletes, maxDeletePercent, target: { ...target, idField } })
  if (reason && !selection.isReviewed)
    return { kind: 'refused', reason, ...deletes, reviewedParts: await writeReviewed(sides, selection, io) }
  const written = await writeRecords(sides, selection, io)
  const unchanged = joined.unchanged + written.unchanged
  const state = proveChanges(base.known, joined, { ...written, unchanged })
  const { held, audit, versions } = written
  const deliveredChange = await changeByIncrements(io, baseSide, { selection, ignore })
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
    contentChange: deliveredChange + written.contentChange,
    carriesWithheld: selection.carriesWithheld,
    parts: await io.records.finish(),
    withheldParts: await finishWithheld(io.withheld),
    ...state,
  }
}

/** What increments have added to the sum of the contents. */
async function changeByIncrements(
  source: PageSource,
  base: ComparedSide,
  { selection, ignore }: { readonly selection: Selection; readonly ignore: readonly string[] },
): Promise<bigint> {
  const contents = new ContentSum(ignore)
  for await (const { read, purpose } of selected(source, base, selection.versions)) {
    const canonical = contents.canonical(read())
    if (purpose === versions.delivered) contents.add(canonical)
    else contents.remove(canonical)
  }
  return contents.value()
}

async function finishWithheld({
  uncounted,
  counted,
  delivered,
}: Writers['withheld']): Promise<WithheldPart[]> {
  return [
    ...(await uncounted.finish()).map((part) => ({ ...part, countedAbsences: 0 as const })),
    ...(await counted.finish()).map((part) => ({ ...part, countedAbsences: 1 as const })),
    ...(await delivered.finish()).map((part) => ({ ...part, countedAbsences: 0, delivered: true }) as const),
  ]
}

interface JoinedSides {
  readonly base: Base
  readonly target: ComparedSnapshot
  readonly idField: string
  readonly indexed: IndexedSides
}

async function joinSnapshots(
  source: PageSource,
  { base: { parts, snapshotDocuments }, target, idField, indexed }: JoinedSides,
  results: JoinResults,
): Promise<JoinCounts> {
  await indexSides(source, { base: parts, target: target.pages, idField }, indexed)
  const further = parts.filter(({ from }) => from !== 'snapshot')
  const expected = further.reduce((sum, { documents }) => sum + documents, snapshotDocuments)
  expectCount('base', indexed.counts.base, expected)
  const { delivered, same } = indexed
  const entries = { base: indexed.base.entries, target: indexed.target.entries, delivered, same }
  const joined = join(entries, results)
  requireDocuments(target, { documents: indexed.counts.target, uniqueIds: joined.targetDocuments })
  return joined
}

/** Throws `ComparisonFailed` unless a snapshot has the documents of its manifest. */
export function requireDocuments(
  target: Omit<ComparedSnapshot, 'pages'>,
  found: Omit<ComparedSnapshot, 'pages'>,
): void {
  expectCount('snapshot', found.documents, target.documents)
  // The worker counts ids by 64-bit hashes, so it may have counted fewer.
  if (found.uniqueIds < target.uniqueIds)
    throw new ComparisonFailed(
      'other',
      `The snapshot has ${plural(found.uniqueIds, 'unique id')}; its manifest has ${formatCount(target.uniqueIds)}.`,
    )
}

function expectCount(what: string, found: number, expected: number): void {
  if (found !== expected)
    throw new ComparisonFailed(
      'other',
      `The ${what} has ${formatDocuments(found)}; its manifest has ${formatCount(expected)}.`,
    )
}
