/** The types that the schema report distinguishes. An `integer` is written without a fraction or an exponent. */
export const valueTypes = ['string', 'integer', 'decimal', 'boolean', 'object', 'array'] as const

export type ValueType = (typeof valueTypes)[number]

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

export const noCounts = (): FieldCounts =>
  Object.fromEntries(countNames.map((name) => [name, 0])) as FieldCounts

/** The counts of two sets of documents become those of both. */
export function addCounts(target: FieldCounts, source: Readonly<FieldCounts>): void {
  for (const name of sums) target[name] += source[name]
  for (const name of maxima) target[name] = Math.max(target[name], source[name])
}

/** How many values there are, including null. */
export const presentOf = (counts: Readonly<FieldCounts>): number =>
  valueTypes.reduce((sum, type) => sum + counts[type], counts.null)
