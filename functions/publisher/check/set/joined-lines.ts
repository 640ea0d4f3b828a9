import { idHashBytes } from '../entries.ts'
import { IdTable } from '../id-table.ts'

/** Words of a row: the last line of the base and of the target with 64 bits of its content, the record, what is withheld. */
const rowWords = 8
const columns = { base: 0, target: 3, record: 6, withheld: 7 } as const

export type JoinedRow = ReturnType<JoinedLines['row']>

/** Where what is known of a line is in a buffer. */
export interface Entry {
  readonly of: Buffer
  readonly at: number
}

/** What has the same id in a base, a target, and the records and withheld documents that lead from one to the other. */
export class JoinedLines {
  readonly ids: IdTable
  #rows: Uint32Array

  constructor(expected: number) {
    this.ids = new IdTable(expected)
    this.#rows = new Uint32Array(rowWords * Math.max(512, expected))
  }

  /** Adds a line: of several with one id the last one counts. Returns the one that it replaces. */
  addLine(column: keyof typeof columns, line: number, { of, at }: Entry) {
    const number = this.ids.numberOf(of, at)
    const place = rowWords * number + columns[column]
    if (place >= this.#rows.length) {
      const smaller = this.#rows
      this.#rows = new Uint32Array(2 * smaller.length)
      this.#rows.set(smaller)
    }
    const replaced = this.#get(place)
    this.#rows[place] = line + 1
    if (column === 'base' || column === 'target') {
      this.#rows[place + 1] = of.readUInt32BE(at + idHashBytes)
      this.#rows[place + 2] = of.readUInt32BE(at + idHashBytes + 4)
    }
    return { number, replaced }
  }

  /** The lines of the id with this number. A line is undefined where there is none. */
  row(number: number) {
    const row = rowWords * number
    return {
      number,
      base: this.#get(row + columns.base),
      target: this.#get(row + columns.target),
      hasSameBytes:
        this.#rows[row + 1] === this.#rows[row + 4] && this.#rows[row + 2] === this.#rows[row + 5],
      record: this.#get(row + columns.record),
      withheld: this.#get(row + columns.withheld),
    }
  }

  /** Whether the last line of this side has this content. */
  hasContent(number: number, side: 'base' | 'target', { of, at }: Entry) {
    const place = rowWords * number + columns[side]
    return this.#rows[place + 1] === of.readUInt32BE(at) && this.#rows[place + 2] === of.readUInt32BE(at + 4)
  }

  has(number: number, column: keyof typeof columns): boolean {
    return this.#rows[rowWords * number + columns[column]] !== 0
  }

  #get(place: number): number | undefined {
    const value = this.#rows[place] ?? 0
    return value === 0 ? undefined : value - 1
  }
}
