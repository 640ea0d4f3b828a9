import type { EntitySettings } from '../../functions/runtime/settings.ts'

/** A part of an entity's documents, by the value of a field that never changes. Values are ISO 8601 in UTC. */
export type Range =
  | { readonly kind: 'up-to'; readonly to: string }
  | { readonly kind: 'between'; readonly from: string; readonly to: string }
  | { readonly kind: 'from'; readonly from: string }
  | { readonly kind: 'at'; readonly value: string }
  | { readonly kind: 'null' }

/**
 * The documents without a value and the ranges that the boundaries (distinct, in ascending order) cut a field's values
 * into, in the order in which they are opened. Neighbors share their boundary value because platforms index dates more
 * coarsely than they print them.
 */
export function rangesBetween(boundaries: readonly string[]): Range[] {
  const first = boundaries[0]
  const last = boundaries.at(-1)
  if (first === undefined || last === undefined) return []
  const between = boundaries
    .slice(1)
    .map((to, index): Range => ({ kind: 'between', from: boundaries[index] ?? first, to }))
  return [{ kind: 'null' }, { kind: 'up-to', to: first }, ...between, { kind: 'from', from: last }]
}

/** A range in the syntax of the platform's `_where` parameter. */
export function filterOf(by: string, range: Range): string {
  switch (range.kind) {
    case 'up-to':
      return `(${by} < ${range.to} OR ${by} = ${range.to})`
    case 'between':
      return `(${by} between ${range.from} AND ${range.to})`
    case 'from':
      return `(${by} > ${range.from} OR ${by} = ${range.from})`
    case 'at':
      return `(${by} = ${range.value})`
    case 'null':
      return `(${by} is null)`
  }
}

/** The entity's own query with a filter added to its `_where`. */
export function withFilter(query: EntitySettings['query'], filter: string): EntitySettings['query'] {
  const own = [query['_where'] ?? []].flat().flatMap((where) => (where.trim() === '' ? [] : [`(${where})`]))
  return { ...query, _where: [...own, filter].join(' AND ') }
}
