import * as v from 'valibot'
import { describeValue, isToken, pathItem, plainObject, tokenError } from './schema-parts.ts'

type QueryValueInput = string | number | boolean | (string | number | boolean)[]

const queryValue = v.pipe(
  v.custom<string | number | boolean>(
    (value) => typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value),
    ({ input }) => `${describeValue(input)} is not a string, a number, true or false, or a list of those`,
  ),
  v.check((value) => !isToken(value), `${tokenError} text`),
  v.transform(String),
)

const queryValues = v.lazy(
  (input): v.GenericSchema<QueryValueInput, string | string[]> =>
    Array.isArray(input) ? v.array(queryValue) : queryValue,
)

function parameterError(name: string, value: unknown): string | undefined {
  if (name === '_size') return 'is set by the sync; use pageSize instead'
  if (name === '_token') return 'is set by the sync; remove it'
  if (name === '' || isToken(name)) return 'is not the name of a parameter'
  if (Array.isArray(value) && value.length === 0) return 'is an empty list, which sends nothing; remove it'
  return undefined
}

/** Extra parameters of an entity's scroll. Values become strings. */
export const scrollQuerySchema = v.pipe(
  plainObject('an object of query parameters') as v.GenericSchema<Record<string, QueryValueInput>>,
  // `v.record` drops a field named `prototype` or `constructor`, and with it the filter on that field.
  v.rawTransform(({ dataset: { value }, addIssue }) => {
    const pairs = Object.entries(value).map(([name, input]) => {
      const { output, issues = [] } = v.safeParse(queryValues, input)
      for (const { message, path = [] } of issues)
        addIssue({ message, path: [pathItem(value, name), ...path] })
      return [name, output as string | string[]] as const
    })
    return Object.fromEntries(pairs)
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const query = dataset.value as Record<string, unknown>
    for (const [name, value] of Object.entries(query)) {
      const message = parameterError(name, value)
      if (message) addIssue({ message, path: [pathItem(query, name)] })
    }
  }),
)

/** The required fields that `_fields` (comma-separated or a list) leaves out. */
export function missingFields(fields: unknown, needed: readonly string[]): readonly string[] {
  const texts = [fields].flat()
  if (!texts.every((text) => typeof text === 'string')) return []
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim())
  return names.includes('_all') ? [] : needed.filter((name) => !names.includes(name))
}
