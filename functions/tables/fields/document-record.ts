import type { Field } from './field.ts'

/** The kind of value that an entry stands for: its type, in the order of `valueTypes`, or null. */
export const kinds = {
  string: 0,
  integer: 1,
  decimal: 2,
  boolean: 3,
  object: 4,
  array: 5,
  null: 6,
  timestamp: 7,
} as const
type Kind = (typeof kinds)[keyof typeof kinds]

const dropped = 255

/** Further members of one document are not counted, so that hostile documents cannot fill the memory. */
const maxEntries = 1_000_000

/**
 * The members of a document in their order. They are counted once it has been read as a whole, since of several members
 * with the same name only the last counts, as for a JSON parser.
 */
export class DocumentRecord {
  readonly #fields: Field[] = []
  #kinds = new Uint8Array(256)
  /** Bytes of a string, digits of a number, or the entry after the last one of an object. */
  #sizes = new Int32Array(256)
  #scales = new Int32Array(256)
  #length = 0

  /** The number of the next entry. */
  get length(): number {
    return this.#length
  }

  get isFull(): boolean {
    return this.#length >= maxEntries
  }

  clear(): void {
    this.#length = 0
  }

  add(field: Field, kind: Kind, size: number): void {
    if (this.isFull) return
    const entry = this.#length++
    if (entry === this.#kinds.length) this.#grow()
    this.#fields[entry] = field
    this.#kinds[entry] = kind
    this.#sizes[entry] = size
  }

  addDecimal(field: Field, digits: number, scale: number): void {
    if (this.isFull) return
    this.add(field, kinds.decimal, digits)
    this.#scales[this.#length - 1] = scale
  }

  /** Call this when the object with this entry has ended. */
  closeObject(entry: number): void {
    this.#sizes[entry] = this.#length
  }

  /** The members of the open object, whose first member has this entry, with the entry of each. */
  *membersSince(first: number): Generator<readonly [Field, number]> {
    for (let entry = first; entry < this.#length; ) {
      const [field, kind] = [this.#fields[entry], this.#kinds[entry]]
      if (field && kind !== dropped) yield [field, entry]
      entry = kind === kinds.object ? (this.#sizes[entry] ?? 0) : entry + 1
    }
  }

  /** Removes an entry, and those of an object's members. */
  drop(entry: number): void {
    const end = this.#kinds[entry] === kinds.object ? (this.#sizes[entry] ?? 0) : entry + 1
    this.#kinds.fill(dropped, entry, end)
  }

  /** Counts what the document has. `document` is its number. */
  count(document: number): void {
    for (let entry = 0; entry < this.#length; entry++) {
      const field = this.#fields[entry]?.current
      const kind = this.#kinds[entry] ?? dropped
      if (!field || kind === dropped) continue
      const { counts } = field
      const size = this.#sizes[entry] ?? 0
      field.documents.add(kind === kinds.timestamp ? kinds.string : kind, document)
      switch (kind) {
        case kinds.string:
          counts.string++
          if (size > counts.maxLength) counts.maxLength = size
          break
        case kinds.timestamp:
          counts.string++
          counts.timestamps++
          if (size > counts.maxLength) counts.maxLength = size
          break
        case kinds.integer:
          counts.integer++
          if (size > counts.maxDigits) counts.maxDigits = size
          break
        case kinds.decimal: {
          counts.decimal++
          if (size > counts.maxDigits) counts.maxDigits = size
          const scale = this.#scales[entry] ?? 0
          if (scale > counts.maxScale) counts.maxScale = scale
          break
        }
        case kinds.boolean:
          counts.boolean++
          break
        case kinds.object:
          counts.object++
          break
        case kinds.array:
          counts.array++
          break
        case kinds.null:
          counts.null++
          break
      }
    }
  }

  #grow(): void {
    const length = 2 * this.#kinds.length
    const [kinds, sizes, scales] = [new Uint8Array(length), new Int32Array(length), new Int32Array(length)]
    kinds.set(this.#kinds)
    sizes.set(this.#sizes)
    scales.set(this.#scales)
    this.#kinds = kinds
    this.#sizes = sizes
    this.#scales = scales
  }
}
