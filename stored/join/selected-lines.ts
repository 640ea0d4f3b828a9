/** What the caller does with a selected line. */
export interface SelectedLine {
  readonly line: number
  readonly purpose: number
}

/** Lines of the pages of a snapshot, each with a purpose. Compact, since every document may be selected. */
export class SelectedLines {
  /** By page: each line with its purpose in one number, which is exact below 2^53. */
  readonly #packed = new Map<number, number[]>()

  add(page: number, line: number, purpose: number): void {
    const packed = line * 2 ** 32 + purpose
    const others = this.#packed.get(page)
    if (others) others.push(packed)
    else this.#packed.set(page, [packed])
  }

  /** The pages with a selected line, in order. */
  pages(): number[] {
    return [...this.#packed.keys()].toSorted((one, other) => one - other)
  }

  /** The selected lines of a page, in order. */
  ofPage(page: number): SelectedLine[] {
    const sorted = Float64Array.from(this.#packed.get(page) ?? []).sort()
    return Array.from(sorted, (packed) => {
      const line = Math.floor(packed / 2 ** 32)
      return { line, purpose: packed - line * 2 ** 32 }
    })
  }
}
