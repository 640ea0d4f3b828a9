import { type Fields, readFields, textAt } from '../documents/fields.ts'

/** What JSON.parse returns, with the JSON of what JSON.stringify would write in another way, such as `1.0`. */
export type JsonValue = null | boolean | number | string | SentScalar | readonly JsonValue[] | JsonObject

export interface JsonObject {
  readonly [name: string]: JsonValue
}

/** A number or string with its JSON as the platform sent it. */
export class SentScalar {
  readonly value: number | string
  readonly json: string

  constructor(value: number | string, json: string) {
    this.value = value
    this.json = json
  }
}

/** A document with its values, and with the JSON of each as the platform sent it. */
export interface ParsedDocument {
  readonly json: string
  readonly members: JsonObject
  /** The value must exist. */
  readonly jsonAt: (path: readonly string[]) => string
}

export function parseSent(document: Buffer): ParsedDocument {
  const json = document.toString()
  const members = JSON.parse(json) as JsonObject
  // Reading the source of every value takes several times as long as this comparison.
  if (JSON.stringify(members) === json)
    return { json, members, jsonAt: (path) => JSON.stringify(memberAt(members, path)) }
  let fields: Fields | undefined
  return {
    json,
    members: JSON.parse(json, withSource) as JsonObject,
    jsonAt(path) {
      fields ??= readFields(document)
      return textAt(fields, path)
    },
  }
}

/** JSON.parse passes the text of values that are no objects and arrays, which its type does not have yet. */
const withSource = ((_: string, value: unknown, { source }: { readonly source?: string }) =>
  source === undefined || JSON.stringify(value) === source
    ? value
    : new SentScalar(value as number | string, source)) as Parameters<typeof JSON.parse>[1]

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SentScalar)
  )
}

/** The value at a path of member names. */
export function memberAt(document: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document
  for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

/** The JSON of a string, number or boolean as the platform sent it. */
export const jsonOf = (value: JsonValue): string =>
  value instanceof SentScalar ? value.json : JSON.stringify(value)

/** The text of a string, number or boolean. */
export function textOf(value: JsonValue): string | undefined {
  if (value instanceof SentScalar) return typeof value.value === 'string' ? value.value : value.json
  return typeof value === 'object' ? undefined : String(value)
}
