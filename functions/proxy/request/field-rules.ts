import type { FieldSchema, FieldType } from '../../platform/patch-schemas.ts'
import { isObject, pointerToken } from '../../runtime/json-object.ts'

export interface FieldError {
  /** JSON pointer (RFC 6901) into the caller's body. */
  readonly pointer: string
  /** For example `an integer or null`. */
  readonly expected: string
}

/** More errors than this are not listed: they usually repeat the same one. */
export const maxErrors = 100

/**
 * The members of `value` that do not match the schema, in the schema's order; `maxErrors` at most. Members that the
 * schema does not name are not checked.
 */
export function fieldErrors(value: unknown, schema: FieldSchema): readonly FieldError[] {
  const errors: FieldError[] = []
  check(value, schema, { pointer: '', errors })
  return errors
}

interface FieldPlace {
  readonly pointer: string
  readonly errors: FieldError[]
}

function check(value: unknown, schema: FieldSchema, place: FieldPlace): void {
  if (place.errors.length >= maxErrors) return
  const [type, orNull] = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (value === null && orNull) return
  if (!hasType[type](value) || !matches(value, schema)) {
    place.errors.push(errorAt(place.pointer, schema))
    return
  }
  for (const [key, inner, innerSchema] of members(value, schema))
    check(inner, innerSchema, { ...place, pointer: `${place.pointer}/${pointerToken(key)}` })
}

/** A long key of the caller is not repeated: a hundred of them could make the response too large. */
function errorAt(pointer: string, schema: FieldSchema): FieldError {
  const expected = expectation(schema)
  if (pointer.length <= maxPointerLength) return { pointer, expected }
  return {
    pointer: pointer.slice(0, pointer.lastIndexOf('/')),
    expected: `an object or array whose members are each ${expected}`,
  }
}

const maxPointerLength = 500

const hasType: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  // JSON.parse reads a number beyond a double's range as infinite; it is an integer all the same.
  integer: (value) => Number.isInteger(value) || value === Infinity || value === -Infinity,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
}

const matches = (value: unknown, { pattern }: FieldSchema): boolean =>
  pattern === undefined || new RegExp(pattern, 'u').test(String(value))

function* members(value: unknown, schema: FieldSchema): Generator<[string | number, unknown, FieldSchema]> {
  const { properties = {}, additionalProperties, items } = schema
  if (Array.isArray(value)) {
    if (items) for (const [index, one] of value.entries()) yield [index, one, items]
    return
  }
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(properties))
    if (Object.hasOwn(value, name)) yield [name, value[name], inner]
  if (additionalProperties)
    for (const [name, inner] of Object.entries(value)) yield [name, inner, additionalProperties]
}

const words: Readonly<Record<FieldType, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
}

function expectation({ type, pattern, description }: FieldSchema): string {
  const [own, orNull] = typeof type === 'string' ? [type] : type
  const form = pattern === undefined ? '' : ` (${description})`
  return `${words[own]}${form}${orNull ? ' or null' : ''}`
}
