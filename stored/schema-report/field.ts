import { type FieldCounts, noCounts } from './field-counts.ts'
import { FieldDocuments } from './field-documents.ts'

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
