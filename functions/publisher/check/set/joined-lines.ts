import { idHashBytes } from '../entries.ts'
import { IdTable } from '../id-table.ts'

/** Words of a row: the last line of the base and of the target with 64 bits of its content, the record, what is withheld. */
const rowWords = 8
const columns = { base: 0, target: 3, record: 6, withheld: 7 } as const

/** The lines of one id. A line is undefined where there is none. */
export interface JoinedRow {
  readonly number: number
  readonly base: number | undefined
  readonly target: number | undefined
  readonly hasSameBytes: boolean
  readonly record: number | undefined
  readonly withheld: number | undefined
}

/** What has the same id in a base, a target, and the records and withheld documents that lead from one to the other. */
export class JoinedLines {
  readonly ids: IdTable
  #rows: Uint32Array

  constructor(expected: number) {
    this.ids = new IdTable(expected)
    this.#rows = new Uint32Array(rowWords * Math.max(512, expected))
  }

  /** Adds a line of the base or the target: of several with one id the last one counts. Returns the one that it replaces. */
  addLine(side: 'base' | 'target', line: number, entry: { readonly of: Buffer; readonly at: number }) {
    const row = this.#rowOf(entry.of, entry.at)
    const at = row + columns[side]
    const replaced = this.#get(at)
    this.#rows[at] = line + 1
    this.#rows[at + 1] = entry.of.readUInt32BE(entry.at + idHashBytes)
    this.#rows[at + 2] = entry.of.readUInt32BE(entry.at + idHashBytes + 4)
    return { number: row / rowWords, replaced }
  }

  /** Adds a record or a withheld document. False if there is one of this id already. */
  addChange(kind: 'record' | 'withheld', index: number, entry: { readonly of: Buffer; readonly at: number }) {
    const at = this.#rowOf(entry.of, entry.at) + columns[kind]
    if (this.#rows[at] !== 0) return false
    this.#rows[at] = index + 1
    return true
  }

  *rows(): Generator<JoinedRow> {
    for (let number = 0; number < this.ids.size; number++) {
      const row = rowWords * number
      yield {
        number,
        base: this.#get(row + columns.base),
        target: this.#get(row + columns.target),
        hasSameBytes:
          this.#rows[row + 1] === this.#rows[row + 4] && this.#rows[row + 2] === this.#rows[row + 5],
        record: this.#get(row + columns.record),
        withheld: this.#get(row + columns.withheld),
      }
    }
  }

  /** Whether the last line of this side has the content at an offset. */
  hasContent(number: number, side: 'base' | 'target', content: { readonly of: Buffer; readonly at: number }) {
    const at = rowWords * number + columns[side]
    const { of, at: offset } = content
    return (
      this.#rows[at + 1] === of.readUInt32BE(offset) && this.#rows[at + 2] === of.readUInt32BE(offset + 4)
    )
  }

  has(number: number, column: keyof typeof columns): boolean {
    return this.#rows[rowWords * number + columns[column]] !== 0
  }

  #get(at: number): number | undefined {
    const value = this.#rows[at] ?? 0
    return value === 0 ? undefined : value - 1
  }

  #rowOf(entries: Buffer, at: number): number {
    const row = rowWords * this.ids.numberOf(entries, at)
    if (row === this.#rows.length) {
      const larger = new Uint32Array(2 * row)
      larger.set(this.#rows)
      this.#rows = larger
    }
    return row
  }
}
