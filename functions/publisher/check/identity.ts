import { Damaged } from './damage.ts'

/**
 * What identifies a document: the JSON of its id, a number by its text; undefined if it has no id, so that its bytes
 * identify it. Throws `Damaged` if the line is not one JSON object.
 */
export function idOfLine(line: string, idField: string, document = parseDocument(line)): string | undefined {
  const id = Object.hasOwn(document, idField) ? (Reflect.get(document, idField) as unknown) : undefined
  if (typeof id === 'string') return JSON.stringify(id)
  if (typeof id === 'boolean') return String(id)
  return typeof id === 'number' ? sourceOf(line, idField) : undefined
}

/** Throws `Damaged`. */
export function parseDocument(line: string): object {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Damaged('is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Damaged('is not a JSON object')
  return value
}

/** The text of a number, which `JSON.parse` rounds. Numbers of the same name deeper in the document have other holders. */
function sourceOf(line: string, idField: string): string | undefined {
  const sources = new Map<object, string | undefined>()
  function reviver(this: object, ...given: [key: string, value: unknown, context?: { source?: string }]) {
    const [key, value, context] = given
    if (key === idField) sources.set(this, context?.source)
    return value
  }
  return sources.get(JSON.parse(line, reviver) as object)
}
