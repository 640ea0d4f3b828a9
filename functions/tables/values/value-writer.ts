import type { ColumnType } from '../../runtime/settings-schema/columns.ts'
import type { JsonValue } from './json-value.ts'
import { decimalWriter, writeDouble, writeInt, writeLong } from './number-values.ts'
import type { PlainValues } from './plain-values.ts'
import { writeBoolean, writeJson, writeText, writeTextHash } from './text-values.ts'
import { writeDate, writeTimestamp } from './time-values.ts'

/** Appends what a column stores for a value that is not null. False if the value does not fit; nothing is appended then. */
export type ValueWriter = (value: Readonly<JsonValue>, plain: PlainValues) => boolean

const writers = {
  string: writeText,
  boolean: writeBoolean,
  int: writeInt,
  long: writeLong,
  double: writeDouble,
  date: writeDate,
  timestamp: writeTimestamp,
  json: writeJson,
} satisfies Record<string, ValueWriter>

export function valueWriter(type: ColumnType): ValueWriter {
  if (type.kind === 'decimal') return decimalWriter(type)
  return type.kind === 'string' && type.hash ? writeTextHash : writers[type.kind]
}
