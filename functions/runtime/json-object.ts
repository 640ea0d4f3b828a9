export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of a text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The name of a member in a JSON pointer (RFC 6901 section 3). */
export const pointerToken = (name: string | number) =>
  String(name).replaceAll('~', '~0').replaceAll('/', '~1')
