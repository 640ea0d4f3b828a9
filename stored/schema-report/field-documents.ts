import { type ValueType, valueTypes } from './field-counts.ts'

/** If fewer documents have a type, they may be in error. Counts above this are not distinguished. */
export const minDocuments = 10

/** How many documents have a value, and how many have one of each type. `minDocuments` means that many or more. */
export type DocumentCounts = Readonly<Record<'present' | ValueType, number>>

/**
 * The first documents that have a value of each type, by their numbers. Values are counted elsewhere: below a map one
 * document can have many of them.
 */
export class FieldDocuments {
  /** In the order of `valueTypes`, and null after them. */
  readonly #byType: number[][] = []

  /** Adds a document to those of a type, after all earlier documents. */
  add(type: number, document: number): void {
    const known = this.#byType[type]
    if (!known) this.#byType[type] = [document]
    else if (known.length < minDocuments && known[known.length - 1] !== document) known.push(document)
  }

  /** Adds the documents of another part of the path, or of another part of the snapshot, which begins with `first`. */
  addAll(lists: DocumentLists, first = 0): void {
    for (const [type, list] of lists.entries()) {
      const added = list.map((document) => first + document)
      this.#byType[type] = union(this.#byType[type] ?? [], added)
    }
  }

  lists(): DocumentLists {
    return Array.from({ length: valueTypes.length + 1 }, (_, type) => this.#byType[type] ?? [])
  }

  counts(): DocumentCounts {
    const lists = this.lists()
    const byType = valueTypes.map((type, index) => [type, lists[index]?.length ?? 0] as const)
    return { present: union(...lists).length, ...Object.fromEntries(byType) } as DocumentCounts
  }
}

/** The documents of each type, as they are stored. */
export type DocumentLists = readonly (readonly number[])[]

const union = (...lists: DocumentLists): number[] =>
  [...new Set(lists.flat())].sort((one, other) => one - other).slice(0, minDocuments)
