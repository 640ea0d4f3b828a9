import { quote } from '../../documents/json-bytes.ts'
import type { ColumnPaths } from './column-paths.ts'
import { type DocumentRecord, kinds } from './document-record.ts'
import { type Field, isCut } from './field.ts'
import type { FieldTree } from './field-tree.ts'
import { decodeString, type StringText } from './string-text.ts'

/** An object that is open at the current position. */
interface OpenObject {
  readonly field: Field
  readonly columns: ColumnPaths | undefined
  /** Whether a map is on the way to it, so that the fields of its members do not determine their columns. */
  readonly isBelowMap: boolean
  readonly start: number
  /** Its entry in the record of the document. */
  readonly entry: number
  previous: Field | undefined
  /** By name, the entries of members that share a field with others. */
  sharing: Map<string, number> | undefined
}

/**
 * Finds the field of each member, and its columns. Documents of an entity mostly have the same members in the same
 * order, so it compares a name with the one that followed in the previous document before it decodes it.
 */
export class MemberFinder {
  /** Those of the current member. */
  field: Field
  columns: ColumnPaths | undefined
  #isBelowMap = false
  readonly #tree: FieldTree
  readonly #record: DocumentRecord
  readonly #string: StringText
  readonly #outer: OpenObject[] = []
  #object: OpenObject | undefined
  /** The number of the current document. */
  document = 0

  constructor(tree: FieldTree, record: DocumentRecord, string: StringText) {
    this.#tree = tree
    this.#record = record
    this.#string = string
    this.field = tree.root
  }

  /** Whether every object has been closed. */
  get isOutside(): boolean {
    return this.#object === undefined
  }

  openDocument(start: number): void {
    this.document++
    this.#outer.length = 0
    const field = this.#tree.root
    this.#object = {
      field,
      columns: field.columns,
      isBelowMap: false,
      start,
      entry: -1,
      previous: undefined,
      sharing: undefined,
    }
  }

  /** The value of the current member is an object. */
  openObject(start: number): void {
    const { field, columns } = this
    const entry = this.#record.length
    this.#record.add(field, kinds.object, 0)
    if (this.#object) this.#outer.push(this.#object)
    this.#object = {
      field,
      columns,
      isBelowMap: this.#isBelowMap,
      start,
      entry,
      previous: undefined,
      sharing: undefined,
    }
  }

  /** Returns where the object began, and the columns that it is the value of. */
  closeObject(): { readonly columns: ColumnPaths | undefined; readonly start: number } {
    const object = this.#object as OpenObject
    if (object.entry >= 0) this.#record.closeObject(object.entry)
    this.#object = this.#outer.pop()
    return object
  }

  /** Makes the member whose name begins at `start` the current one. Returns where its name ends. */
  find(text: Buffer, start: number, end: number): number {
    const object = this.#object as OpenObject
    const expected = object.previous ? object.previous.next : object.field.first
    if (expected && isNamed(text, start, expected)) {
      this.#setUnshared(object, expected)
      return start + (expected.nameBytes as Buffer).length + 1
    }
    this.#string.read(text, start, end)
    const { end: nameEnd, isEscaped } = this.#string
    const name = decodeString(text, { start, end: nameEnd, isEscaped })
    const wasMap = object.field.mapMember !== undefined
    const field = this.#tree.member(object.field, name)
    const isMap = object.field.mapMember !== undefined
    if (isMap && !wasMap) this.#shareAll(object)
    if (isMap || isCut(name)) {
      this.#setShared(object, field, name)
    } else {
      if (object.previous) object.previous.next = field
      else object.field.first = field
      this.#setUnshared(object, field)
    }
    return nameEnd + 1
  }

  /** A field that only members of one name have. The last of several in an object counts. */
  #setUnshared(object: OpenObject, field: Field): void {
    // Other objects of the document may have the same fields, if they are members of a map.
    if (field.document === this.document && field.entry > object.entry) this.#record.drop(field.entry)
    field.document = this.document
    field.entry = this.#record.length
    object.previous = field
    this.field = field
    this.#isBelowMap = object.isBelowMap
    this.columns = object.isBelowMap ? object.columns?.members.get(field.name ?? '') : field.columns
  }

  #setShared(object: OpenObject, field: Field, name: string): void {
    object.sharing ??= new Map()
    const entry = object.sharing.get(name)
    if (entry !== undefined) this.#record.drop(entry)
    if (!this.#record.isFull) object.sharing.set(name, this.#record.length)
    this.field = field
    this.#isBelowMap = true
    this.columns = object.columns?.members.get(name)
  }

  /** The object has become a map: what its members had as fields of their own is a part of one field now. */
  #shareAll(object: OpenObject): void {
    object.previous = undefined
    object.sharing ??= new Map()
    for (const [field, entry] of this.#record.membersSince(object.entry + 1)) {
      if (field.name !== undefined && field.document === this.document) object.sharing.set(field.name, entry)
    }
  }
}

function isNamed(text: Buffer, start: number, { nameBytes }: Field): boolean {
  if (!nameBytes) return false
  for (let at = 0; at < nameBytes.length; at++) if (text[start + at] !== nameBytes[at]) return false
  return text[start + nameBytes.length] === quote
}
