/** A field's path and the types of its values. A path that ends in `?` is not in every value. */
export type Shape = Readonly<Record<string, string>>

/** What these values have in common: every field by its path, with the types that it has. */
export function shapeOf(values: readonly unknown[]): Shape {
  const types = new Map<string, Set<string>>()
  const counts = new Map<string, number>()
  const visit = (path: string, value: unknown) => {
    counts.set(path, (counts.get(path) ?? 0) + 1)
    types.set(path, (types.get(path) ?? new Set()).add(typeOf(value)))
    if (Array.isArray(value)) for (const each of value) visit(`${path}[]`, each)
    else if (isMap(value))
      for (const [key, each] of Object.entries(value)) visit(`${path}.${generalized(key)}`, each)
  }
  for (const value of values) visit('', value)
  const isOptional = (path: string) => {
    const parent = path.replace(/\.[^.]*$/, '')
    return path !== parent && (counts.get(path) ?? 0) < (counts.get(parent) ?? 0)
  }
  const fields = [...types].filter(([path]) => path !== '')
  return Object.fromEntries(
    fields
      .map(([path, found]) => [
        `${path.replace(/^\./, '')}${isOptional(path) ? '?' : ''}`,
        [...found].toSorted().join(' | '),
      ])
      .toSorted(([one = ''], [other = '']) => one.localeCompare(other)),
  )
}

/** A key without what differs from run to run: ids of runs and workers, numbers, names and hashes. */
export function generalized(key: string): string {
  return key
    .replaceAll(/\d{8}T\d{9}Z-[0-9a-f]{12}/g, '<run>')
    .replaceAll(/worker-\d+/g, '<worker>')
    .replaceAll(/[0-9a-f]{32}/g, '<sha256>')
    .replaceAll(/\bu\d+\b/g, '<unique>')
    .replaceAll(/(?<![sS]ha\d*)\d+/g, '<n>')
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return 'bytes'
  return Array.isArray(value) ? 'list' : typeof value
}

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
