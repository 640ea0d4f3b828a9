import type { ColumnSource } from 'hyparquet-writer'
import type { FoundValues } from '../../documents/fields/found-values.ts'
import { isAt, nullLiteral } from '../../documents/json-scalars.ts'
import type { JsonValue } from '../values/json-value.ts'
import { type StoredValue, valueReader } from '../values/value-reader.ts'
import type { FileColumn } from './file-column.ts'

/** The rows of the row group that is being collected. */
export class TableRows {
  count = 0
  /** Of all strings. */
  characters = 0
  readonly #columns: readonly FileColumn[]
  readonly #readers
  readonly #rejected: number[]
  #values: (StoredValue | null)[][]
  readonly #value: JsonValue = { text: Buffer.alloc(0), start: 0, end: 0, notation: 0 }

  constructor(columns: readonly FileColumn[]) {
    this.#columns = columns
    this.#readers = columns.map(({ type }) => valueReader(type))
    this.#rejected = columns.map(() => 0)
    this.#values = columns.map(() => [])
  }

  /** Adds a row with what has been found in a document. */
  add(text: Buffer, found: FoundValues): void {
    const value = this.#value
    value.text = text
    for (const [column, reader] of this.#readers.entries()) {
      value.start = found.starts[column] ?? -1
      value.end = found.ends[column] ?? 0
      value.notation = found.notations[column] ?? 0
      let stored: StoredValue | null = null
      if (value.start >= 0 && !isAt(text, value.start, nullLiteral)) {
        const fitting = reader(value)
        if (fitting === undefined) this.#rejected[column] = (this.#rejected[column] ?? 0) + 1
        else stored = fitting
      }
      if (typeof stored === 'string') this.characters += stored.length
      this.#values[column]?.push(stored)
    }
    this.count++
  }

  data(): ColumnSource[] {
    return this.#columns.map(({ name, type }, column) => {
      const data = this.#values[column] ?? []
      // The writer's dictionary takes 0 and -0 for one value.
      return type.kind === 'double' ? { name, data, encoding: 'PLAIN' } : { name, data }
    })
  }

  /** Begins the next row group. */
  clear(): void {
    this.count = 0
    this.characters = 0
    this.#values = this.#columns.map(() => [])
  }

  /** How many values did not fit, for each column that has such values. */
  rejected(): Record<string, number> {
    const counts = this.#columns.map(({ name }, column) => [name, this.#rejected[column] ?? 0] as const)
    return Object.fromEntries(counts.filter(([, count]) => count > 0))
  }
}
