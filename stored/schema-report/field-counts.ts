import { valueTypes } from './value-type.ts'

const sums = ['null', ...valueTypes, 'timestamps'] as const
const maxima = ['maxLength', 'maxDigits', 'maxScale'] as const

/** The counts of a path in the order in which they are stored. */
export const countNames = [...sums, ...maxima] as const

/**
 * What the report counts about the values of one path. `timestamps` are the strings that a column of type `timestamp`
 * accepts. `maxLength` is the size of the longest string in bytes, as the platform sent it, without its quotes.
 * `maxDigits` are the digits that a column needs to store each of the numbers exactly, and `maxScale` those of them
 * that are after the point.
 */
export type FieldCounts = Record<(typeof countNames)[number], number>

export function noCounts(): FieldCounts {
  return {
    null: 0,
    string: 0,
    integer: 0,
    decimal: 0,
    boolean: 0,
    object: 0,
    array: 0,
    timestamps: 0,
    maxLength: 0,
    maxDigits: 0,
    maxScale: 0,
  }
}

/** The counts of two sets of documents become those of both. */
export function addCounts(target: FieldCounts, source: Readonly<FieldCounts>): void {
  for (const name of sums) target[name] += source[name]
  for (const name of maxima) target[name] = Math.max(target[name], source[name])
}

/** How many values there are, including null. */
export function presentOf(counts: Readonly<FieldCounts>): number {
  return valueTypes.reduce((sum, type) => sum + counts[type], counts.null)
}
