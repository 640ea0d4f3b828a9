import { addCounts, countNames, type DocumentLists, type Field, type FieldCounts, noCounts } from './field.ts'
import type { FieldTree } from './field-tree.ts'

/** The schema report of some documents of a snapshot. It can be stored as JSON, and parts can be merged in any order. */
export interface ReportPart {
  readonly version: 1
  readonly documents: number
  /** Of them, those that contain half of a surrogate pair. Earlier versions did not count them. */
  readonly loneSurrogates?: number
  /** Whether fields or members were left out because of a limit. */
  readonly truncated: boolean
  /** Each field after the one that it is a member of. */
  readonly fields: readonly PartField[]
}

/**
 * The position of the field that it is a member of (-1: of the document), its name (null: any member of a map), the counts
 * in the order of `countNames`, and the first documents that have each type.
 */
type PartField = readonly [
  parent: number,
  name: string | null,
  counts: readonly number[],
  documents: DocumentLists,
]

/** Whether a member of the documents is a text in each of them. */
export const areStrings = ({ documents, loneSurrogates, fields }: ReportPart, member: string): boolean =>
  !loneSurrogates &&
  fields.some(
    ([parent, name, counts]) =>
      parent === -1 && name === member && counts[countNames.indexOf('string')] === documents,
  )

export function partOf(
  tree: FieldTree,
  counts: Pick<ReportPart, 'documents' | 'loneSurrogates'>,
): ReportPart {
  const positions = new Map<Field, number>([[tree.root, -1]])
  const fields: PartField[] = []
  for (const { field, parent } of tree.inOrder()) {
    positions.set(field, fields.length)
    const counts = countNames.map((name) => field.counts[name])
    fields.push([positions.get(parent) ?? -1, field.name ?? null, counts, field.documents.lists()])
  }
  return { version: 1, ...counts, truncated: tree.isTruncated, fields }
}

/** Adds what the documents of a part have to a tree. `first` is the number of its first document. */
export function addPart(tree: FieldTree, part: ReportPart, first: number): void {
  const fields: Field[] = []
  for (const [position, name, counts, documents] of part.fields) {
    const parent = fields[position]?.current ?? tree.root
    const field = name === null ? tree.makeMap(parent) : tree.member(parent, name)
    addCounts(field.counts, countsOf(counts))
    field.documents.addAll(documents, first)
    fields.push(field)
  }
  if (part.truncated) tree.isTruncated = true
  tree.prune()
}

function countsOf(numbers: readonly number[]): FieldCounts {
  const counts = noCounts()
  for (const [index, name] of countNames.entries()) counts[name] = numbers[index] ?? 0
  return counts
}
