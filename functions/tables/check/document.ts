import type { Column } from '../../runtime/settings-schema/columns.ts'
import { expectedValue, type FileValue, wellFormed } from './expected-value.ts'

/** In the type of JSON.parse these are missing. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (text: string) => unknown
  readonly isRawJSON: (value: unknown) => boolean
}

/** A document in which strings, numbers and booleans are the JSON that the platform sent. */
const asSent = (line: string): unknown =>
  JSON.parse(line, ((_: string, value: unknown, { source }: { readonly source?: string }) =>
    source === undefined || value === null ? value : rawJSON(source)) as Parameters<typeof JSON.parse>[1])

/** The value at a path of member names. Undefined if there is none, or null. */
function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawJSON(value))
      return undefined
    value = Object.hasOwn(value, name) ? (Reflect.get(value, name) as unknown) : undefined
  }
  return value ?? undefined
}

/** A document whose values are compared with those of its row. */
export class SampledDocument {
  readonly #sent: unknown
  /** Columns of `json` have no halves of surrogate pairs. */
  readonly #text: string
  readonly #wellFormed: unknown

  constructor(line: string) {
    this.#sent = asSent(line)
    this.#text = wellFormed(line)
    this.#wellFormed = this.#text === line ? this.#sent : asSent(this.#text)
  }

  /** Whether a column has this value for the document. */
  gives({ from, type }: Column, stored: FileValue | null): boolean {
    const value = valueAt(type.kind === 'json' ? this.#wellFormed : this.#sent, from)
    if (value === undefined) return stored === null
    const json = JSON.stringify(value)
    if (type.kind !== 'json') return Object.is(expectedValue(json, type) ?? null, stored)
    // The JSON of objects and arrays has the white space of the line.
    return typeof stored === 'string' && this.#text.includes(stored) && withoutSpace(stored) === json
  }
}

function withoutSpace(json: string): string | undefined {
  try {
    return JSON.stringify(asSent(json))
  } catch {
    return undefined
  }
}
