import { countOf, type DocumentSource, sliceOf } from '../documents.ts'
import type { InjectedFault } from '../faults.ts'
import { requestedFields } from './query.ts'
import { compare, parseWhere, type WhereCondition, WhereSyntaxError } from './where.ts'

export type SearchSelection =
  | { readonly kind: 'selected'; readonly source: DocumentSource }
  | { readonly kind: 'refused'; readonly message: string }

/**
 * The documents that a query selects by `field=value` filters and `_where`. Without a filter the source itself is
 * returned without a copy. The fault decides whether the filter is ignored or refused, or lags behind.
 */
export function select(
  stored: DocumentSource,
  query: URLSearchParams,
  fault: InjectedFault | undefined,
): SearchSelection {
  const source = fault?.kind === 'lag' ? withoutNewest(stored, fault.documents) : stored
  const filters = [...query].filter(([name]) => name === '_where' || !name.startsWith('_'))
  if (filters.length === 0 || fault?.kind === 'ignore-filter') return { kind: 'selected', source }
  if (fault?.kind === 'refuse-filter') {
    return { kind: 'refused', message: `Field '${filters[0]?.[0]}' is not searchable` }
  }
  try {
    const conditions = filters.map(conditionOf)
    const matching = sliceOf(source, 0, countOf(source)).filter((bytes) => {
      const fields = requestedFields(bytes)
      return fields !== undefined && conditions.every((condition) => condition(fields))
    })
    return { kind: 'selected', source: fault?.kind === 'matches' ? fault.change(matching) : matching }
  } catch (error) {
    if (!(error instanceof WhereSyntaxError)) throw error
    return { kind: 'refused', message: `Invalid _where: ${error.message}` }
  }
}

function conditionOf([name, value]: [string, string]): WhereCondition {
  return name === '_where' ? parseWhere(value) : (fields) => compare(fields[name], value) === 0
}

/** New documents are appended: the index does not show the last ones yet. */
function withoutNewest(source: DocumentSource, documents: number): DocumentSource {
  const count = Math.max(0, countOf(source) - documents)
  return Array.isArray(source) ? source.slice(0, count) : { ...source, count }
}
