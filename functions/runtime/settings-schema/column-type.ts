import { describeValue } from './schema-parts.ts'

/** The type of a column. Only strings can be hashed. */
export type ColumnType =
  | { readonly kind: 'string'; readonly hash?: 'sha256' }
  | { readonly kind: Exclude<SimpleKind, 'string'> }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }

const simpleKinds = ['string', 'boolean', 'int', 'long', 'double', 'date', 'timestamp', 'json'] as const
type SimpleKind = (typeof simpleKinds)[number]

/** A type as the configuration has it. */
export type ColumnTypeText = SimpleKind | `decimal(${number},${number})` | `decimal(${number}, ${number})`

export const columnTypesText =
  'string, boolean, int, long, double, decimal(p,s), date, timestamp or json' as const

/** Iceberg allows 38 digits. */
const maxPrecision = 38

export function findTypeError(text: string): string | undefined {
  if (isSimple(text)) return undefined
  const { precision, scale } = decimalOf(text) ?? {}
  if (precision === undefined || scale === undefined)
    return `${describeValue(text)} is not a type; use ${columnTypesText}`
  if (precision < 1 || precision > maxPrecision)
    return `${describeValue(text)} has ${precision} digits; use 1 to ${maxPrecision}, such as decimal(18,2)`
  if (scale > precision)
    return `${describeValue(text)} has more fractional digits (${scale}) than digits (${precision}); the first number counts all digits, such as decimal(18,2)`
  return undefined
}

/** `text` must be valid. */
export function columnTypeOf(text: ColumnTypeText): ColumnType {
  if (isSimple(text)) return { kind: text }
  const { precision, scale } = decimalOf(text) as Decimal
  return { kind: 'decimal', precision, scale }
}

interface Decimal {
  readonly precision: number
  readonly scale: number
}

function decimalOf(text: string): Decimal | undefined {
  const [, precision, scale] = /^decimal\((0|[1-9]\d{0,5}), ?(0|[1-9]\d{0,5})\)$/.exec(text) ?? []
  return precision && scale ? { precision: Number(precision), scale: Number(scale) } : undefined
}

const isSimple = (text: string): text is SimpleKind => simpleKinds.some((kind) => kind === text)
