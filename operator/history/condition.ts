import { parseJson } from '../../functions/runtime/json-object.ts'
import { findPathError, membersOf } from '../../functions/runtime/settings-schema/column-name.ts'
import { elementsIn, membersIn } from '../../stored/documents/fields.ts'
import { backslash, openBrace, openBracket, quote } from '../../stored/documents/json-bytes.ts'
import { decoded, isAt, nullLiteral } from '../../stored/documents/json-scalars.ts'
import { UsageError } from '../errors.ts'
import { splitLines } from '../snapshot/lines.ts'
import { formOf } from '../text/form.ts'
import { parseRecord } from './record.ts'

/** The value that a field of a document must have. */
export interface FieldCondition {
  /** As it was written. */
  readonly text: string
  /** The part of it that names the field. */
  readonly field: string
  /** Member names that lead to the field. */
  readonly path: readonly string[]
  readonly value: string
  /** What other values of its form have in common. */
  readonly form: string
}

/** Reads the value of `--where`: `email=ann@example.com`, or `address.city=Porto`. Throws `UsageError`. */
export function readCondition(text: string): FieldCondition {
  const end = text.indexOf('=')
  const field = text.slice(0, Math.max(end, 0))
  const value = text.slice(end + 1)
  const error = end < 0 ? 'has no =' : value === '' ? 'has no value' : findPathError(field)
  if (error === undefined) return { text, field, path: membersOf(field), value, form: formOf(value) }
  throw new UsageError(
    `--where: '${text}' ${error}. Use a field and its value (email=ann@example.com), or a path (address.city=Porto).`,
  )
}

/** How a document compares with a value; `other-form` if only the form of what was found differs. */
export interface FieldComparison {
  readonly result: 'equal' | 'other-form' | 'different' | 'no-field'
  readonly found?: string
}

/** Compares each value of the field: texts exactly, numbers and booleans as they are written. The best result counts. */
export function compareField(document: Buffer, { path, value, form }: FieldCondition): FieldComparison {
  let best: FieldComparison = { result: 'no-field' }
  for (const json of valuesAt(document, path)) {
    const found = scalarText(json)
    if (found === value) return { result: 'equal' }
    if (found !== undefined && formOf(found) === form) best = { result: 'other-form', found }
    else if (best.result === 'no-field') best = { result: 'different' }
  }
  return best
}

/** The values of a field and, of a list, also its elements. A path continues in each object of a list. */
function* valuesAt(json: Buffer, path: readonly string[]): Generator<Buffer> {
  const [name, ...rest] = path
  if (name === undefined) yield json
  if (json[0] === openBracket) for (const element of elementsIn(json)) yield* valuesAt(element, path)
  if (name === undefined || json[0] !== openBrace) return
  for (const member of membersIn(json)) if (member.name === name) yield* valuesAt(member.value, rest)
}

/** The paths of the fields of a document that may be meant instead of one that it does not have. */
export function* pathsIn(json: Buffer, prefix: readonly string[] = []): Generator<string> {
  for (const { name, value } of membersIn(json)) {
    const path = [...prefix, name]
    yield pathText(path)
    const objects = value[0] === openBracket ? elementsIn(value) : [value]
    if (path.length < maxNamedDepth)
      for (const object of objects) if (object[0] === openBrace) yield* pathsIn(object, path)
  }
}

const maxNamedDepth = 5

/** A path, as `membersOf` reads it. */
export const pathText = (path: readonly string[]) =>
  path.map((name) => name.replaceAll('.', String.raw`\.`)).join('.')

/**
 * A condition that documents with this value in their id field fulfil, if it is an object or a list, which identifies no
 * document. Undefined of every other id.
 */
export function conditionOfId(id: string, idField: string): string | undefined {
  if (!/^\s*[[{]/.test(id) || parseJson(id) === undefined) return undefined
  const document = Buffer.from(`{${JSON.stringify(idField)}:${id}}`)
  for (const path of pathsIn(document))
    for (const value of valuesAt(document, membersOf(path))) {
      const text = scalarText(value)
      if (text && !path.includes('=')) return `${path}=${text}`
    }
  return 'FIELD=VALUE'
}

/** A text, or a number or a boolean as it is written. */
function scalarText(json: Buffer): string | undefined {
  if (json[0] === quote) return decoded(json.toString())
  const isOther = json[0] === openBrace || json[0] === openBracket || isAt(json, 0, nullLiteral)
  return isOther ? undefined : json.toString()
}

const fulfils = (document: Buffer, condition: FieldCondition): boolean =>
  compareField(document, condition).result === 'equal'

/** Whether any of these lines may fulfil the condition, which is cheap to decide. A backslash may hide the value. */
const mayFulfil = (lines: Buffer, { value }: FieldCondition): boolean =>
  lines.includes(value) || lines.includes(backslash)

/** Lines of an object: documents, or records of a change set with the documents before and after it. */
export interface ObjectLines {
  readonly holds: 'documents' | 'records'
  readonly lines: Buffer
}

/** The documents that fulfil a condition. Throws `CommandError` for a record of a kind that is not known. */
export function* documentsWith(stored: ObjectLines, condition: FieldCondition): Generator<Buffer> {
  if (!mayFulfil(stored.lines, condition)) return
  for (const document of documentsIn(stored))
    if (mayFulfil(document, condition) && fulfils(document, condition)) yield document
}

/** Every document, and both sides of every record. Throws `CommandError` for a record of a kind that is not known. */
export function* documentsIn({ holds, lines }: ObjectLines): Generator<Buffer> {
  for (const line of splitLines(lines)) {
    if (holds === 'documents') yield line
    else yield* documentsOfRecord(line)
  }
}

function documentsOfRecord(line: Buffer): Buffer[] {
  const { before, after } = parseRecord(line)
  return [before, after].flatMap((document) => (document === undefined ? [] : [Buffer.from(document)]))
}
