const maxFields = 5
const likelyName = /id$|key|code|number|slug/i
const plainName = /^[\p{L}\p{N}_.$@-]{1,60}$/u
const date = /^\d{4}-\d\d-\d\dT/

/** The fields of which each document has another text or number, those with a name like that of an id first. */
export function possibleIdFields(lines: readonly string[]): string[] {
  const documents = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const identifies = (field: string) => {
    const values = new Set(documents.map((document) => document[field]).filter(couldBeId))
    return plainName.test(field) && values.size === documents.length
  }
  const fields = Object.keys(documents[0] ?? {}).filter(identifies)
  const isUnlikely = (field: string) => Number(!likelyName.test(field))
  return fields.toSorted((one, other) => isUnlikely(one) - isUnlikely(other)).slice(0, maxFields)
}

const couldBeId = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && !date.test(value))
