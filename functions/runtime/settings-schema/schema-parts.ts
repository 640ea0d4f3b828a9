import * as v from 'valibot'
import { unknownKeyMessage } from './key-suggestion.ts'

/** A wrong value for a message: as written, on one line, shortened. */
export function describeValue(value: unknown): string {
  if (isToken(value)) return 'a value that is known only at deployment (a CDK token)'
  if (typeof value === 'string') {
    const text = JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    return `'${text.slice(1, -1).replaceAll('\\"', '"')}'`
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function') return 'a function'
  return String(value)
}

type PrimitiveType = 'string' | 'number' | 'boolean'

/** True for text, the only item of a list, or a number that contains a token of the CDK. */
export const isToken = (value: unknown) =>
  typeof value === 'number' ? value < -1e289 && value > -1e290 : /[$#]\{Token\[/.test(String(value))

export const tokenError = 'is known only at deployment (a CDK token); write it as'

/**
 * A value of a primitive type. `expected` describes a correct value (`a number from 1 to 28`); `findError`
 * returns what is wrong with a value, if anything.
 */
export const primitive = <T>(
  type: PrimitiveType,
  expected: string,
  findError: (value: T) => string | undefined = () => undefined,
) =>
  typed<T>(type, expected, (value) =>
    isToken(value)
      ? `${tokenError} ${type === 'string' ? 'text' : `a ${type}`}: ${expected}`
      : findError(value),
  )

/** Text that only CloudFormation needs, so that a token is accepted unchecked. */
export const deployedText = (expected: string, findError: (value: string) => string | undefined) =>
  typed<string>('string', expected, (value) => (isToken(value) ? undefined : findError(value)))

function typed<T>(type: PrimitiveType, expected: string, findError: (value: T) => string | undefined) {
  return v.pipe(
    v.custom<T>(
      (value) => typeof value === type,
      ({ input }) =>
        input === undefined ? missingMessage(expected) : `${describeValue(input)} is not ${expected}`,
    ),
    v.rawCheck<T>(({ dataset, addIssue }) => {
      const message = dataset.typed ? findError(dataset.value) : undefined
      if (message) addIssue({ message })
    }),
    v.description(expected),
  )
}

/** A primitive value that is correct if `isValid` accepts it. */
export function primitiveWhere<T>(type: PrimitiveType, expected: string, isValid: (value: T) => boolean) {
  return primitive<T>(type, expected, (value) =>
    isValid(value) ? undefined : `${describeValue(value)} is not ${expected}`,
  )
}

/** One of these words. */
export const oneOf = <T extends string>(...words: readonly T[]) =>
  primitiveWhere<T>('string', orList(words), (value) => words.includes(value))

/** `'a', 'b' or 'c'` */
const orList = (words: readonly string[]) =>
  words
    .map((word) => `'${word}'`)
    .join(', ')
    .replace(/,(?=[^,]*$)/, ' or')

export const wholeNumber = (from: number, to: number) =>
  primitiveWhere<number>(
    'number',
    `a whole number from ${from} to ${to}`,
    (value) => Number.isInteger(value) && value >= from && value <= to,
  )

export const numberBetween = (from: number, to: number) =>
  primitiveWhere<number>('number', `a number from ${from} to ${to}`, (value) => value >= from && value <= to)

export const flag = () => primitive<boolean>('boolean', 'true or false')

export const textMatching = (expected: string, pattern: RegExp) =>
  primitiveWhere<string>('string', expected, (value) => pattern.test(value))

export const deployedTextMatching = (expected: string, pattern: RegExp) =>
  deployedText(expected, (value) =>
    pattern.test(value) ? undefined : `${describeValue(value)} is not ${expected}`,
  )

export const itemsOf = <S extends v.GenericSchema>(item: S, expected: string) =>
  v.array(item, ({ input }) => `${describeValue(input)} is not ${expected}`)

/** An object with these keys and no others. The message for an unknown key suggests the key that was meant. */
export function strictObject<E extends v.ObjectEntries>(entries: E) {
  const keys = Object.keys(entries)
  const expected = `an object with ${keys.join(', ')}`
  const object = v.object(entries, (issue) => {
    const key = issue.path?.at(-1)?.key as string
    return missingMessage(v.getDescription(entries[key] as v.GenericSchema) ?? 'a value')
  })
  return v.pipe(
    plainObject(expected) as v.GenericSchema<v.InferInput<typeof object>, Record<string, unknown>>,
    // valibot's own check for unknown keys ignores `constructor` and `prototype`.
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      const { output, issues = [] } = v.safeParse(object, value)
      for (const { message, path } of issues) addIssue({ message, ...(path && { path }) })
      const unknownKeys = Object.keys(value).filter((key) => !keys.includes(key))
      for (const key of unknownKeys)
        addIssue({ message: unknownKeyMessage(key, keys), path: [pathItem(value, key)] })
      return issues.length + unknownKeys.length === 0 ? (output as v.InferOutput<typeof object>) : NEVER
    }),
    v.description(expected),
  )
}

/** An object that is not a list. */
export function plainObject(expected: string) {
  return v.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    ({ input }) => `${describeValue(input)} is not ${expected}`,
  )
}

/** The last part of the path of an issue about one key of an object or list. */
export function pathItem(input: object, key: string | number): v.ObjectPathItem {
  const value = (input as Record<string | number, unknown>)[key]
  return { type: 'object', origin: 'key', input: input as Record<string, unknown>, key: key as string, value }
}

/** The path of a nested value, by the keys that lead to it. */
export function pathTo(
  input: object,
  keys: readonly (string | number)[],
): [v.ObjectPathItem, ...v.ObjectPathItem[]] {
  const path: v.ObjectPathItem[] = []
  for (const key of keys) path.push(pathItem((path.at(-1)?.value ?? input) as object, key))
  return path as [v.ObjectPathItem, ...v.ObjectPathItem[]]
}

/** The strings that repeat an earlier one, with the index of each and of its first occurrence. */
export function repetitions(values: readonly unknown[]) {
  return values.flatMap((value, index) => {
    const first = values.indexOf(value)
    return typeof value === 'string' && first < index ? [{ value, index, first }] : []
  })
}

const missingMessage = (expected: string) => `is missing; it must be ${expected}`
