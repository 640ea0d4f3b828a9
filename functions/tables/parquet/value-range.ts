import { PlainValues } from '../values/plain-values.ts'
import type { PhysicalType, StatisticValue } from './physical-type.ts'

/** The smallest and the largest value of a column. */
export class ValueRange {
  readonly #type: PhysicalType
  /** Contains both. */
  #extremes = new PlainValues()
  #min = 0
  #max = 0

  constructor(type: PhysicalType) {
    this.#type = type
  }

  /** Nothing if there are no values. */
  limits(): { readonly min_value: StatisticValue; readonly max_value: StatisticValue } | undefined {
    const { view, length } = this.#extremes
    if (length === 0) return undefined
    const [min, max] = [this.#type.valueAt(view, this.#min), this.#type.valueAt(view, this.#max)]
    // 0 and -0 are the same in a range, which must include both (Parquet format, "Statistics").
    return { min_value: min === 0 ? -0 : min, max_value: max === 0 ? 0 : max }
  }

  /** Adds the values from `start` to `end`. */
  add(values: PlainValues, start: number, end: number): void {
    if (start === end) return
    const found = this.#find(values, start, end)
    const extremes = new PlainValues()
    for (const at of found) this.#append(extremes, values, at)
    if (this.#extremes.length > 0)
      for (const at of [this.#min, this.#max]) this.#append(extremes, this.#extremes, at)
    this.#extremes = extremes
    const [min, max] = this.#find(extremes, 0, extremes.length)
    this.#min = min
    this.#max = max
  }

  #find({ view }: PlainValues, start: number, end: number): readonly [min: number, max: number] {
    const type = this.#type
    let min = start
    let max = start
    for (let at = start; at < end; at += type.sizeAt(view, at)) {
      if (type.compare(view, at, min) < 0) min = at
      else if (type.compare(view, at, max) > 0) max = at
    }
    return [min, max]
  }

  #append(target: PlainValues, source: PlainValues, at: number): void {
    target.appendFrom(source, at, at + this.#type.sizeAt(source.view, at))
  }
}
