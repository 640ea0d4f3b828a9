import { isoTime } from '../../../stored/documents/iso-8601.ts'
import { decimalNumber } from '../values/decimal-number.ts'
import { type JsonValue, jsonOf, SentScalar, textOf } from '../values/json-value.ts'
import type { Field } from './field.ts'
import { type ValueType, valueTypes } from './value-type.ts'

const kinds: readonly (ValueType | 'null')[] = [...valueTypes, 'null']

/** Counts a value at its path. `document` is the number of its document. */
export function countValue({ counts, documents }: Field, value: JsonValue, document: number): void {
  const kind = kindOf(value)
  counts[kind]++
  documents.add(kinds.indexOf(kind), document)
  if (kind === 'string') {
    counts.maxLength = Math.max(counts.maxLength, Buffer.byteLength(jsonOf(value)) - quotesLength)
    if (isoTime(textOf(value) ?? '')) counts.timestamps++
  } else if (kind === 'integer' || kind === 'decimal') {
    const { integerDigits = 0, scale = 0 } = decimalNumber(jsonOf(value)) ?? {}
    counts.maxDigits = Math.max(counts.maxDigits, 1, integerDigits + scale)
    counts.maxScale = Math.max(counts.maxScale, scale)
  }
}

const quotesLength = 2

function kindOf(value: JsonValue): ValueType | 'null' {
  const scalar = value instanceof SentScalar ? value.value : value
  if (scalar === null) return 'null'
  if (Array.isArray(scalar)) return 'array'
  if (typeof scalar === 'number') return /[.eE]/.test(jsonOf(value)) ? 'decimal' : 'integer'
  return typeof scalar as 'string' | 'boolean' | 'object'
}
