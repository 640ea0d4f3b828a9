import { idSumText } from '../documents/id-hash.ts'
import type { ChangeCounts, ChangePart } from '../state/changes.ts'
import { Entries } from './entries.ts'
import { ComparisonFailed } from './failure.ts'
import { refusal } from './guard.ts'
import { indexDocuments } from './index-documents.ts'
import { type JoinCounts, type JoinResults, join } from './join.ts'
import { proveChanges, type State } from './proof.ts'
import type { PageSource, StoredObject } from './read-pages.ts'
import { type Absence, Selection } from './selection.ts'
import { type Writers, writeRecords } from './write-records.ts'

/** A snapshot as its manifest describes it. */
export interface ComparedSnapshot {
  readonly pages: readonly StoredObject[]
  readonly documents: number
  readonly uniqueIds: number
}

/** The chain's state at the tip. */
export interface Base extends State {
  readonly snapshot: ComparedSnapshot
  readonly withheldParts: readonly (StoredObject & { readonly records: number })[]
}

export interface ComparisonRules {
  readonly idField: string
  readonly ignore: readonly string[]
  /** What the absence of a document from the target means: a delete if the target's proof is exact. */
  readonly absence: Absence
  /** More deletes than this refuse the set; infinite if they are accepted. */
  readonly maxDeletePercent: number
}

export type Comparison =
  | { readonly kind: 'refused'; readonly reason: string }
  | (State & {
      readonly kind: 'changes'
      readonly counts: ChangeCounts
      readonly parts: readonly ChangePart[]
      readonly withheldParts: readonly ChangePart[]
    })

/** Compares the state at the tip with a snapshot. Nothing is written before the guard has passed. */
export async function compareSnapshots(
  io: PageSource & Writers,
  { base, target, rules }: { base: Base; target: ComparedSnapshot; rules: ComparisonRules },
): Promise<Comparison> {
  const { idField, ignore, absence, maxDeletePercent } = rules
  const baseObjects = [...base.snapshot.pages, ...base.withheldParts]
  const selection = new Selection(base.snapshot.pages.length, absence)
  const joined = await joinSnapshots(io, { base, target, idField }, selection)
  const { deleted } = selection
  const reason = refusal({ deleted, baseDocuments: joined.baseDocuments, maxDeletePercent })
  if (reason) return { kind: 'refused', reason }

  const sides = { source: io, base: baseObjects, target: target.pages, idField, ignore }
  const { createdIdSum, deletedIdSum, withheldIdSum, ...counts } = {
    ...(await writeRecords(sides, selection, io)),
    unchanged: joined.unchanged,
  }
  const state = proveChanges(base, joined, { ...counts, createdIdSum, deletedIdSum, withheldIdSum })
  return {
    kind: 'changes',
    counts: { ...counts, baseDocuments: joined.baseDocuments },
    parts: await io.records.finish(),
    withheldParts: await io.withheld.finish(),
    ...state,
  }
}

/** The state of a chain that begins at this snapshot. */
export async function stateOf(source: PageSource, target: ComparedSnapshot, idField: string): Promise<State> {
  const nothing = { snapshot: { pages: [], documents: 0, uniqueIds: 0 }, withheldParts: [] }
  const { targetDocuments, targetIdSum } = await joinSnapshots(
    source,
    { base: nothing, target, idField },
    countOnly,
  )
  return { stateDocuments: targetDocuments, stateIdSum: idSumText(targetIdSum) }
}

const countOnly: JoinResults = {
  pair: () => undefined,
  onlyInBase: () => undefined,
  onlyInTarget: () => undefined,
  isAlwaysReported: () => false,
}

async function joinSnapshots(
  source: PageSource,
  sides: { base: Omit<Base, keyof State>; target: ComparedSnapshot; idField: string },
  results: JoinResults,
): Promise<JoinCounts> {
  const { base, target, idField } = sides
  using baseEntries = new Entries()
  using targetEntries = new Entries()
  const baseObjects = [...base.snapshot.pages, ...base.withheldParts]
  const withheld = base.withheldParts.reduce((sum, { records }) => sum + records, 0)
  const found = {
    base: await indexDocuments(source, { objects: baseObjects, idField }, baseEntries),
    target: await indexDocuments(source, { objects: target.pages, idField }, targetEntries),
  }
  expectCount('base', found.base, base.snapshot.documents + withheld)
  expectCount('snapshot', found.target, target.documents)
  const joined = join(baseEntries, targetEntries, results)
  // The worker counts ids by 64-bit hashes, so it may have counted fewer.
  if (joined.targetDocuments < target.uniqueIds)
    throw new ComparisonFailed(
      `The snapshot has ${joined.targetDocuments} unique ids; its manifest has ${target.uniqueIds}.`,
    )
  return joined
}

function expectCount(what: string, found: number, expected: number): void {
  if (found !== expected)
    throw new ComparisonFailed(`The ${what} has ${found} documents; its manifest has ${expected}.`)
}
