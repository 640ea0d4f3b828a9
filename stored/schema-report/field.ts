/** A path of the report: a member of objects, or all members of a map. */
export class Field {
  /** Undefined for the members of a map. */
  readonly name: string | undefined
  readonly counts: FieldCounts = noCounts()
  readonly documents = new FieldDocuments()
  members: Map<string, Field> | undefined
  mapMember: Field | undefined
  #mergedInto: Field | undefined

  constructor(name: string | undefined) {
    this.name = name
  }

  /** The field that has this one's counts: another one, if it has become part of a map. */
  get current(): Field {
    if (!this.#mergedInto) return this
    let field = this.#mergedInto
    while (field.#mergedInto) field = field.#mergedInto
    return field
  }

  mergeInto(field: Field): void {
    this.#mergedInto = field
  }
}

/** If fewer documents have a type, they may be in error. Counts above this are not distinguished. */
export const minDocuments = 10

/** How many documents have a value, and how many have one of each type. `minDocuments` means that many or more. */
export type DocumentCounts = Readonly<Record<'present' | ValueType, number>>

/**
 * The first documents that have a value of each type, by their numbers. Values are counted elsewhere: below a map one
 * document can have many of them.
 */
class FieldDocuments {
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

/** The types that the schema report distinguishes. An `integer` is written without a fraction or an exponent. */
export const valueTypes = ['string', 'integer', 'decimal', 'boolean', 'object', 'array'] as const

export type ValueType = (typeof valueTypes)[number]

const sums = ['null', ...valueTypes, 'timestamps'] as const
const maxima = ['maxLength', 'maxDigits', 'maxScale'] as const

/** The counts of a path in the order in which they are stored. */
export const countNames = [...sums, ...maxima] as const

/**
 * What the report counts about the values of one path. `timestamps` are the strings that a column of type `timestamp`
 * accepts. `maxLength` is the size of the longest string in bytes, as sent, without its quotes. `maxDigits` are the
 * digits that a column needs to store each number exactly, and `maxScale` those after the point.
 */
export type FieldCounts = Record<(typeof countNames)[number], number>

export const noCounts = (): FieldCounts =>
  Object.fromEntries(countNames.map((name) => [name, 0])) as FieldCounts

/** The counts of two sets of documents become those of both. */
export function addCounts(target: FieldCounts, source: Readonly<FieldCounts>): void {
  for (const name of sums) target[name] += source[name]
  for (const name of maxima) target[name] = Math.max(target[name], source[name])
}

/** How many values there are, including null. */
export const presentOf = (counts: Readonly<FieldCounts>): number =>
  valueTypes.reduce((sum, type) => sum + counts[type], counts.null)
