import type { ColumnType } from '../../runtime/settings-schema/columns.ts'
import type { FileValue } from './expected-value.ts'
import { type Bounds, signed } from './parquet-file.ts'

export const contains = ({ lower, upper }: Partial<Bounds> = {}, value: FileValue): boolean =>
  (lower === undefined || !isLess(value, lower)) && (upper === undefined || !isLess(upper, value))

/** Texts are in the order of their bytes. */
const isLess = (one: FileValue, other: FileValue): boolean =>
  typeof one === 'string' && typeof other === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
    : one < other

/** As the footer's bounds of decimals are read: rounding does not change the order. */
export const rounded = (value: FileValue, type: ColumnType): FileValue =>
  type.kind === 'decimal' ? Number(value) * 10 ** -type.scale : value

/** A bound of a manifest (Iceberg specification, "Binary single-value serialization"). */
export function boundOf(bytes: Buffer, { kind }: ColumnType): FileValue {
  if (kind === 'boolean') return bytes[0] === 1
  if (kind === 'int' || kind === 'date') return bytes.readInt32LE()
  if (kind === 'long' || kind === 'timestamp') return bytes.readBigInt64LE()
  if (kind === 'double') return bytes.readDoubleLE()
  return kind === 'decimal' ? signed(bytes) : bytes.toString()
}
