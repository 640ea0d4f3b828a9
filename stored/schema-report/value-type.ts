/**
 * The types that the schema report distinguishes. An `integer` is written without a fraction and without an exponent.
 */
export const valueTypes = ['string', 'integer', 'decimal', 'boolean', 'object', 'array'] as const

export type ValueType = (typeof valueTypes)[number]
