import type { SchemaElement } from 'hyparquet-writer'

/** A value as `hyparquet-writer` takes it for statistics. */
export type StatisticValue = Uint8Array | boolean | number | bigint

/** How values of a type are read where they are in a list of `PlainValues`. */
export interface PhysicalType {
  sizeAt(view: DataView, at: number): number
  /** Below zero if the first value is before the second one in the order that Parquet defines for the type. */
  compare(view: DataView, one: number, other: number): number
  valueAt(view: DataView, at: number): StatisticValue
}

export function physicalTypeOf({ type, type_length, converted_type }: SchemaElement): PhysicalType {
  if (type === 'FIXED_LEN_BYTE_ARRAY') return bigEndian(type_length ?? 0)
  if (type === 'INT32' && converted_type === 'DECIMAL') return decimal32
  const found = types.get(type)
  if (!found) throw new Error(`No column is stored as ${type}.`)
  return found
}

const boolean: PhysicalType = {
  sizeAt: () => 1,
  compare: (view, one, other) => view.getUint8(one) - view.getUint8(other),
  valueAt: (view, at) => view.getUint8(at) === 1,
}

const int32: PhysicalType = {
  sizeAt: () => 4,
  compare: (view, one, other) => view.getInt32(one, true) - view.getInt32(other, true),
  valueAt: (view, at) => view.getInt32(at, true),
}

const decimal32: PhysicalType = { ...int32, valueAt: (view, at) => BigInt(view.getInt32(at, true)) }

const int64: PhysicalType = {
  sizeAt: () => 8,
  compare(view, one, other) {
    const upper = view.getInt32(one + 4, true) - view.getInt32(other + 4, true)
    return upper === 0 ? view.getUint32(one, true) - view.getUint32(other, true) : upper
  },
  valueAt: (view, at) => view.getBigInt64(at, true),
}

const double: PhysicalType = {
  sizeAt: () => 8,
  compare: (view, one, other) => view.getFloat64(one, true) - view.getFloat64(other, true),
  valueAt: (view, at) => view.getFloat64(at, true),
}

const byteArray: PhysicalType = {
  sizeAt: (view, at) => 4 + view.getUint32(at, true),
  compare(view, one, other) {
    const size = view.getUint32(one, true)
    const otherSize = view.getUint32(other, true)
    const common = { one: one + 4, other: other + 4, size: Math.min(size, otherSize) }
    return compareBytes(view, common) || size - otherSize
  },
  valueAt: (view, at) => bytesAt(view, at + 4, view.getUint32(at, true)),
}

const types = new Map<SchemaElement['type'], PhysicalType>([
  ['BOOLEAN', boolean],
  ['INT32', int32],
  ['INT64', int64],
  ['DOUBLE', double],
  ['BYTE_ARRAY', byteArray],
])

/** Integers in two's complement, the highest byte first. */
function bigEndian(size: number): PhysicalType {
  return {
    sizeAt: () => size,
    compare: (view, one, other) =>
      view.getInt8(one) - view.getInt8(other) ||
      compareBytes(view, { one: one + 1, other: other + 1, size: size - 1 }),
    valueAt: (view, at) =>
      BigInt.asIntN(8 * size, BigInt(`0x${Buffer.from(bytesAt(view, at, size)).toString('hex')}`)),
  }
}

const bytesAt = ({ buffer, byteOffset }: DataView, at: number, size: number) =>
  new Uint8Array(buffer.slice(byteOffset + at, byteOffset + at + size) as ArrayBuffer)

/** Compares as many unsigned bytes from two positions. */
function compareBytes(
  view: DataView,
  { one, other, size }: { readonly one: number; readonly other: number; readonly size: number },
): number {
  let at = 0
  for (; at + 4 <= size; at += 4) {
    const difference = view.getUint32(one + at) - view.getUint32(other + at)
    if (difference !== 0) return difference
  }
  for (; at < size; at++) {
    const difference = view.getUint8(one + at) - view.getUint8(other + at)
    if (difference !== 0) return difference
  }
  return 0
}
