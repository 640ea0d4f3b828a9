import type { ColumnPaths } from './column-paths.ts'
import { type FieldCounts, noCounts } from './field-counts.ts'
import { FieldDocuments } from './field-documents.ts'

/** Longer member names are cut in the report, so that hostile documents cannot fill the memory. */
const maxNameLength = 200

/** A path of the report: a member of objects, or all members of a map. */
export class Field {
  /** Undefined for the members of a map. */
  readonly name: string | undefined
  /** The name as documents contain it, to recognize it without decoding; undefined if it is not written as it is. */
  readonly nameBytes: Buffer | undefined
  /** The columns whose paths lead through here, unless there is a map on the way. */
  readonly columns: ColumnPaths | undefined
  readonly counts: FieldCounts = noCounts()
  readonly documents = new FieldDocuments()
  members: Map<string, Field> | undefined
  /** The field of all members if the objects are a map. */
  mapMember: Field | undefined
  /** The member that came first, and the one that came after this one, in the previous document. */
  first: Field | undefined
  next: Field | undefined
  /** The last document that has this field, and the entry about it in that document's record. */
  document = 0
  entry = 0
  #mergedInto: Field | undefined

  constructor(name: string | undefined, columns?: ColumnPaths) {
    this.name = name
    this.columns = columns
    const isPlain = name !== undefined && !isCut(name) && JSON.stringify(name) === `"${name}"`
    this.nameBytes = isPlain ? Buffer.from(name) : undefined
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

export function isCut(name: string): boolean {
  return name.length > maxNameLength
}

/** The name under which the report has a member. */
export function reportedName(name: string): string {
  return isCut(name) ? `${name.slice(0, maxNameLength - 1)}…` : name
}
