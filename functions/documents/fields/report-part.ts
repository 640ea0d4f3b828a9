import type { Field } from './field.ts'
import { addCounts, countNames, type FieldCounts, noCounts } from './field-counts.ts'
import type { FieldTree } from './field-tree.ts'

/** The schema report of some documents of a snapshot. It can be stored as JSON, and parts can be merged in any order. */
export interface ReportPart {
  readonly version: 1
  readonly documents: number
  /** Whether fields or members were left out because of a limit. */
  readonly truncated: boolean
  /** Each field after the one that it is a member of. */
  readonly fields: readonly PartField[]
}

/**
 * The position of the field that it is a member of (-1: of the document), its name (null: any member of a map), and the
 * counts in the order of `countNames`.
 */
type PartField = readonly [parent: number, name: string | null, ...counts: number[]]

export function partOf(tree: FieldTree, documents: number): ReportPart {
  const positions = new Map<Field, number>([[tree.root, -1]])
  const fields: PartField[] = []
  for (const { field, parent } of tree.inOrder()) {
    positions.set(field, fields.length)
    const counts = countNames.map((name) => field.counts[name])
    fields.push([positions.get(parent) ?? -1, field.name ?? null, ...counts])
  }
  return { version: 1, documents, truncated: tree.isTruncated, fields }
}

/** Adds what the documents of a part have to a tree. */
export function addPart(tree: FieldTree, part: ReportPart): void {
  const fields: Field[] = []
  for (const [position, name, ...counts] of part.fields) {
    const parent = fields[position]?.current ?? tree.root
    const field = name === null ? tree.makeMap(parent) : tree.member(parent, name)
    addCounts(field.counts, countsOf(counts))
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
