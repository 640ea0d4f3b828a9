import { isoTime } from '../documents/iso-8601.ts'
import { decimalNumber } from './decimal-number.ts'
import { addCounts, Field, type ValueType, valueTypes } from './field.ts'
import { isJsonObject, type JsonObject, type JsonValue, jsonOf, SentScalar, textOf } from './json-value.ts'

/** An object with more member names is a map, unless it is a document: its names are data, its members one field. */
const maxMemberNames = 200

/**
 * When there are twice as many fields, only the first ones in order are kept. These are more than a report has, since
 * fields move up when an object before them turns out to be a map.
 */
const maxKeptFields = 20_000

/** The fields of documents. The order of the documents does not matter, up to the limit of fields. */
export class FieldTree {
  readonly root = new Field('')
  /** Whether fields or members were left out because of a limit. */
  isTruncated = false
  #size = 0
  /** The field of every member beyond the limit. It is in no report. */
  readonly #excess = new Field(undefined)

  constructor() {
    this.#excess.mapMember = this.#excess
  }

  /** Counts what a document has. `document` is its number. */
  count(members: JsonObject, document: number): void {
    this.#countMembers(this.root, members, document)
    this.prune()
  }

  /** The field of a member. A new name may be the one that makes its objects a map. */
  member(parent: Field, name: string): Field {
    if (parent.mapMember) return parent.mapMember
    const reported = reportedName(name)
    const known = parent.members?.get(reported)
    if (known) return known
    if (this.#size >= 2 * maxKeptFields) {
      this.isTruncated = true
      return this.#excess
    }
    if (parent !== this.root && parent.members?.size === maxMemberNames) return this.makeMap(parent)
    const field = new Field(reported)
    addMember(parent, field)
    this.#size++
    return field
  }

  /** Merges all members of a field's objects into one, which it returns. */
  makeMap(parent: Field): Field {
    if (parent.mapMember) return parent.mapMember
    const pending: Merge[] = []
    const mapMember = this.#toMap(parent, pending)
    // Merging can make maps of the objects below, to any depth.
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { source } = next
      const target = next.target.current
      addCounts(target.counts, source.counts)
      target.documents.addAll(source.documents.lists())
      source.mergeInto(target)
      this.#size--
      if (source.mapMember) pending.push({ target: this.#toMap(target, pending), source: source.mapMember })
      for (const member of source.members?.values() ?? []) this.#move(member, target, pending)
    }
    return mapMember
  }

  /** Drops the last fields in order when there are too many. Must not be called while a document is being read. */
  prune(): void {
    if (this.#size < 2 * maxKeptFields) return
    this.isTruncated = true
    let kept = 0
    for (const { field, parent } of this.inOrder()) {
      if (kept < maxKeptFields) kept++
      else if (parent.mapMember) parent.mapMember = undefined
      else parent.members?.delete(field.name ?? '')
    }
    this.#size = kept
  }

  /** All fields with the field of the objects that they are a member of: by their names, each before its members. */
  *inOrder(): Generator<{ readonly field: Field; readonly parent: Field }> {
    const pending: { field: Field; parent: Field }[] = membersInOrder(this.root)
    for (let next = pending.pop(); next; next = pending.pop()) {
      // Before the yield, since the caller may remove members.
      pending.push(...membersInOrder(next.field))
      yield next
    }
  }

  #countMembers(parent: Field, members: JsonObject, document: number): void {
    for (const [name, value] of Object.entries(members)) {
      const field = this.member(parent, name)
      countValue(field, value, document)
      if (isJsonObject(value)) this.#countMembers(field, value, document)
    }
  }

  /** Makes a field of merged objects a member of the target. */
  #move(member: Field, target: Field, pending: Merge[]): void {
    const same = target.mapMember ?? target.members?.get(member.name ?? '')
    if (same) pending.push({ target: same, source: member })
    else if (target.members?.size === maxMemberNames)
      pending.push({ target: this.#toMap(target, pending), source: member })
    else addMember(target, member)
  }

  /** Makes a field's objects a map whose members are still to be merged. */
  #toMap(parent: Field, pending: Merge[]): Field {
    if (parent.mapMember) return parent.mapMember
    const target = new Field(undefined)
    for (const source of parent.members?.values() ?? []) pending.push({ target, source })
    parent.mapMember = target
    parent.members = undefined
    this.#size++
    return target
  }
}

/** Longer member names are cut in the report, so that hostile documents cannot fill the memory. */
const maxNameLength = 200

/** The name under which the report has a member. */
const reportedName = (name: string) =>
  name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name

/** The source becomes a part of the target. */
interface Merge {
  readonly target: Field
  readonly source: Field
}

function addMember(parent: Field, field: Field): void {
  parent.members ??= new Map()
  parent.members.set(field.name ?? '', field)
}

/** In reverse order, to be pushed on a stack. */
function membersInOrder(parent: Field): { field: Field; parent: Field }[] {
  if (parent.mapMember) return [{ field: parent.mapMember, parent }]
  if (!parent.members) return []
  return [...parent.members.values()]
    .sort((one, other) => ((one.name ?? '') < (other.name ?? '') ? 1 : -1))
    .map((field) => ({ field, parent }))
}

const kinds: readonly (ValueType | 'null')[] = [...valueTypes, 'null']

/** Counts a value at its path. `document` is the number of its document. */
function countValue({ counts, documents }: Field, value: JsonValue, document: number): void {
  const kind = kindOf(value)
  counts[kind]++
  documents.add(kinds.indexOf(kind), document)
  if (kind === 'string') {
    counts.maxLength = Math.max(counts.maxLength, Buffer.byteLength(jsonOf(value)) - quotesLength)
    if (isoTime(textOf(value) ?? '')) counts.timestamps++
  } else if (kind === 'integer' || kind === 'decimal') {
    const { integerDigits = 0, scale = 0 } = decimalNumber(jsonOf(value)) ?? {}
    counts.maxDigits = Math.max(counts.maxDigits, 1, integerDigits + scale)
    counts.maxScale = Math.max(counts.maxScale, scale)
  }
}

const quotesLength = 2

function kindOf(value: JsonValue): ValueType | 'null' {
  const scalar = value instanceof SentScalar ? value.value : value
  if (scalar === null) return 'null'
  if (Array.isArray(scalar)) return 'array'
  if (typeof scalar === 'number') return /[.eE]/.test(jsonOf(value)) ? 'decimal' : 'integer'
  return typeof scalar as 'string' | 'boolean' | 'object'
}
