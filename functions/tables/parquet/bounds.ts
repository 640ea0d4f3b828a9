import type { SchemaElement } from 'hyparquet-writer'
import type { StoredValue } from '../values/column-value.ts'

/** As Iceberg's own writers truncate the bounds of strings (`write.metadata.metrics.default`: `truncate(16)`). */
const maxCharacters = 16
const lastCharacter = 0x10ffff
const lastBeforeSurrogates = 0xd7ff
const firstAfterSurrogates = 0xe000

/** The smallest value of a column in a file (Iceberg specification, "Binary single-value serialization"). */
export const lowerBound = (element: SchemaElement, min: StoredValue): Buffer =>
  typeof min === 'string' ? Buffer.from(truncated(min)) : binary(element, min)

/** The largest value of a column in a file. Undefined if no short string is as large. */
export function upperBound(element: SchemaElement, max: StoredValue): Buffer | undefined {
  if (typeof max !== 'string') return binary(element, max)
  const start = truncated(max)
  const bound = start === max ? max : nextText(start)
  return bound === undefined ? undefined : Buffer.from(bound)
}

function binary(element: SchemaElement, value: Exclude<StoredValue, string>): Buffer {
  if (typeof value === 'boolean') return Buffer.of(value ? 1 : 0)
  if (element.converted_type === 'DECIMAL') return twosComplement(BigInt(value))
  const bytes = Buffer.alloc(element.type === 'INT32' ? 4 : 8)
  if (typeof value === 'bigint') bytes.writeBigInt64LE(value)
  else if (element.type === 'DOUBLE') bytes.writeDoubleLE(value)
  else bytes.writeInt32LE(value)
  return bytes
}

/** The fewest bytes that contain the integer, the highest one first. */
function twosComplement(value: bigint): Buffer {
  let size = 1
  while (BigInt.asIntN(8 * size, value) !== value) size++
  return Buffer.from(
    BigInt.asUintN(8 * size, value)
      .toString(16)
      .padStart(2 * size, '0'),
    'hex',
  )
}

/** Characters are code points here: the order of strings is that of their bytes in UTF-8. */
function truncated(text: string): string {
  // A character has at most two code units.
  return Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('')
}

/** The first text that is larger than every text that begins with this one. */
function nextText(start: string): string | undefined {
  const characters = Array.from(start, (character) => character.codePointAt(0) ?? 0)
  while (characters.at(-1) === lastCharacter) characters.pop()
  const last = characters.pop()
  if (last === undefined) return undefined
  return String.fromCodePoint(...characters, last === lastBeforeSurrogates ? firstAfterSurrogates : last + 1)
}
