import type { FieldSchema, FieldType } from '../platform/patch-schemas.ts'

export interface FieldMistake {
  /** JSON pointer (RFC 6901) into the caller's body. */
  readonly pointer: string
  /** Such as `an integer or null`. */
  readonly expected: string
}

/** So many are told; a caller whose list is wrong in each of its items learns no more from the rest. */
export const maxMistakes = 100

/**
 * The members of `value` that do not have the type that the schema names, in the schema's order; `maxMistakes` at
 * most. Members that it does not name are not looked at.
 */
export function fieldMistakes(value: unknown, schema: FieldSchema): readonly FieldMistake[] {
  const found: FieldMistake[] = []
  look(value, schema, { pointer: '', found })
  return found
}

interface Place {
  readonly pointer: string
  readonly found: FieldMistake[]
}

function look(value: unknown, schema: FieldSchema, place: Place): void {
  if (place.found.length >= maxMistakes) return
  const [type, orNull] = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (value === null && orNull) return
  if (!hasType[type](value) || !matches(value, schema)) {
    place.found.push(mistake(place.pointer, schema))
    return
  }
  for (const [key, inner, innerSchema] of members(value, schema))
    look(inner, innerSchema, { ...place, pointer: `${place.pointer}/${escaped(key)}` })
}

/** A caller's own key is not told back where it is long: a hundred of them could make an answer too large to give. */
function mistake(pointer: string, schema: FieldSchema): FieldMistake {
  const expected = expectation(schema)
  if (pointer.length <= maxPointerLength) return { pointer, expected }
  return {
    pointer: pointer.slice(0, pointer.lastIndexOf('/')),
    expected: `members each of which is ${expected}`,
  }
}

const maxPointerLength = 500

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasType: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  // A number beyond a double's range is read as infinite, and is whole all the same.
  integer: (value) => Number.isInteger(value) || value === Infinity || value === -Infinity,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
}

function matches(value: unknown, { pattern }: FieldSchema): boolean {
  return pattern === undefined || new RegExp(pattern, 'u').test(String(value))
}

/** What of a value has a schema of its own. */
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

/** RFC 6901 section 3. */
const escaped = (key: string | number) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')

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
