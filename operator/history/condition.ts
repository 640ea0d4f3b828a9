import { backslash, openBrace, quote } from '../../functions/documents/json-bytes.ts'
import { decoded } from '../../functions/documents/json-scalars.ts'
import { findPathError, membersOf } from '../../functions/runtime/settings-schema/column-name.ts'
import { UsageError } from '../errors.ts'
import { readFields } from '../snapshot/fields.ts'

/** The value that a field of a document must have. */
export interface Condition {
  /** As it was written. */
  readonly text: string
  /** Member names that lead to the field. */
  readonly path: readonly string[]
  readonly value: string
}

/** Reads the value of `--where`: `email=ann@example.com`, or `address.city=Porto`. Throws `UsageError`. */
export function readCondition(text: string): Condition {
  const end = text.indexOf('=')
  const field = text.slice(0, Math.max(end, 0))
  const value = text.slice(end + 1)
  const error = end < 0 ? 'has no =' : value === '' ? 'has no value' : findPathError(field)
  if (error === undefined) return { text, path: membersOf(field), value }
  throw new UsageError(
    `--where: '${text}' ${error}. Use a field and its value (email=ann@example.com), or a path (address.city=Porto).`,
  )
}

/** Whether a document's field has the value: a text, or a number or a boolean as it is written. */
export function fulfils(document: Buffer, { path, value }: Condition): boolean {
  let json = document
  for (const name of path) {
    if (json[0] !== openBrace) return false
    const field = readFields(json).get(name)
    if (field === undefined) return false
    json = Buffer.from(field)
  }
  const found = json.toString()
  return (json[0] === quote ? decoded(found) : found) === value
}

/** Whether any of these lines may fulfil the condition, which is cheap to decide. A backslash may hide the value. */
export const mayFulfil = (lines: Buffer, { value }: Condition): boolean =>
  lines.includes(value) || lines.includes(backslash)
