import * as v from 'valibot'

/** The configuration cannot be used; the message names every mistake, one a line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly mistakes: readonly string[]

  constructor(source: string, mistakes: readonly string[]) {
    const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
    super([`${source} has ${count}:`, ...mistakes.map((mistake) => `  ${mistake}`)].join('\n'))
    this.mistakes = mistakes
  }
}

/** `entities[1].schedule: what was wrong and what would be right`, for each issue that a schema found. */
export function mistakesOf(issues: readonly v.BaseIssue<unknown>[]): string[] {
  return issues.map((issue) => {
    const keys = issue.path?.map((item) => item.key as string | number) ?? []
    return `${pathOf(keys)}: ${issue.message}`
  })
}

function pathOf(keys: readonly (string | number)[]): string {
  const path = keys
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`
      return /^[\w$-]+$/.test(key) ? `.${key}` : `[${shown(key)}]`
    })
    .join('')
  return path.replace(/^\./, '') || 'the configuration'
}

/** A wrong value as a message shows it: as written, on one line, shortened. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    const text = JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    return `'${text.slice(1, -1).replaceAll('\\"', '"')}'`
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function') return 'a function'
  return String(value)
}

/**
 * A value of a primitive type that `right` describes (`a number from 1 to 28`). `mistakeIn` says what is
 * wrong with a value, or nothing.
 */
export function leaf<T>(
  type: 'string' | 'number' | 'boolean',
  right: string,
  mistakeIn: (value: T) => string | undefined = () => undefined,
) {
  return v.pipe(
    v.custom<T>(
      (value) => typeof value === type,
      (issue) => (issue.input === undefined ? missing(right) : `${shown(issue.input)} is not ${right}`),
    ),
    v.rawCheck<T>(({ dataset, addIssue }) => {
      const mistake = dataset.typed ? mistakeIn(dataset.value) : undefined
      if (mistake) addIssue({ message: mistake })
    }),
    v.description(right),
  )
}

/** A string, number or boolean that is right if `isRight` says so. */
export function fitting<T>(
  type: 'string' | 'number' | 'boolean',
  right: string,
  isRight: (value: T) => boolean,
) {
  return leaf<T>(type, right, (value) => (isRight(value) ? undefined : `${shown(value)} is not ${right}`))
}

/** An object with these keys and no others. An unknown key is told with the key that was probably meant. */
export function exactly<E extends v.ObjectEntries>(entries: E) {
  const known = Object.keys(entries)
  const right = `an object with ${known.join(', ')}`
  const object = v.object(entries, (issue) => {
    const key = issue.path?.at(-1)?.key as string
    return missing(v.getDescription(entries[key] as v.GenericSchema) ?? 'a value')
  })
  return v.pipe(
    plainObject(right) as v.GenericSchema<v.InferInput<typeof object>, Record<string, unknown>>,
    // Not valibot's own check for unknown keys, which never sees `constructor` and `prototype`.
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      const { output, issues = [] } = v.safeParse(object, value)
      for (const { message, path } of issues) addIssue({ message, ...(path && { path }) })
      const unknown = Object.keys(value).filter((key) => !known.includes(key))
      for (const key of unknown) addIssue({ message: unknownKey(key, known), path: [keyItem(value, key)] })
      return issues.length + unknown.length === 0 ? (output as v.InferOutput<typeof object>) : NEVER
    }),
    v.description(right),
  )
}

/** An object and not a list, which JavaScript takes for an object too. */
export function plainObject(right: string) {
  return v.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    (issue) => `${shown(issue.input)} is not ${right}`,
  )
}

/** The last part of the path of an issue that concerns one key of an object or list. */
export function keyItem(input: object, key: string | number): v.ObjectPathItem {
  const value = (input as Record<string | number, unknown>)[key]
  return { type: 'object', origin: 'key', input: input as Record<string, unknown>, key: key as string, value }
}

const missing = (right: string) => `is missing; it must be ${right}`

function unknownKey(key: string, known: readonly string[]): string {
  const meant = known
    .map((name) => ({ name, distance: distance(key.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance)[0]
  return meant
    ? `is not a key of the configuration; '${meant.name}' was probably meant`
    : `is not a key of the configuration; the keys here are ${known.join(', ')}`
}

/** Who writes `rate` for `ratePerSecond` is as near as who mistypes a letter. */
function distance(key: string, name: string): number {
  return key.length >= 4 && name.includes(key) ? 1 : editDistance(key, name)
}

/** Levenshtein's distance: how many letters must be put in, taken out or replaced. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
