import type { DocumentSource } from '../documents.ts'
import type { InjectedFault } from '../faults.ts'
import { type PlatformResponse, platformJson, refusalResponse } from '../platform-response.ts'
import type { PlatformRequest } from '../received-request.ts'
import type { SearchBehaviour } from '../search/search-behaviour.ts'
import { select } from '../search/select.ts'
import type { ScrollBehaviour } from './scroll-behaviour.ts'
import type { ScrollTotal } from './total.ts'

export interface StandInScroll {
  readonly entity: string
  /** Counted from 1 per entity. */
  readonly number: number
  readonly query: URLSearchParams
  /** The documents that matched at the first request. */
  readonly source: DocumentSource
  readonly pageLength: number
  readonly total: ScrollTotal
  readonly endless: boolean
  readonly ignoresFilter: boolean
  requests: number
  /** Index of the next page. */
  position: number
  responses: number
  lastRequestMs: number
  newestToken: string | undefined
  ended: boolean
}

export interface ScrollDeployment {
  readonly documents: ReadonlyMap<string, DocumentSource>
  readonly scroll: ScrollBehaviour
  readonly search: SearchBehaviour
  readonly headerPrefix: string
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly onPage?: (scroll: StandInScroll, documents: readonly Buffer[]) => void
}

const defaultSize = 100

/** Opens the scroll with this number, or refuses it. `open`: how many scrolls are open. */
export function openScroll(
  deployment: ScrollDeployment,
  request: PlatformRequest,
  { number, open, fault }: { number: number; open: number; fault: InjectedFault | undefined },
): StandInScroll | PlatformResponse {
  const { name: entity, query } = request
  const { scroll, search } = deployment
  const { timeoutOverSize, maxScrolls, pageScale, maxPageLength, total, endless } = scroll
  const stored = deployment.documents.get(entity)
  if (!stored) return refusalResponse('documents', 404, `Data entity '${entity}' not found`)
  const size = Number(query.get('_size') ?? defaultSize)
  if (!Number.isInteger(size) || size < 1 || size > 1000) {
    return refusalResponse('documents', 400, 'The _size must be between 1 and 1000')
  }
  if (size > timeoutOverSize) return refusalResponse('documents', 408, 'Request Timeout')
  if (open >= maxScrolls) {
    return platformJson({ Message: `Maximum simultaneous scrolls rate exceeded (${maxScrolls})` }, 400)
  }
  const selected = select(stored, query, { fault, filtering: scroll.filter, search })
  if (selected.kind === 'refused') return refusalResponse('documents', 400, selected.message)
  const { source } = selected
  return {
    entity,
    number,
    query,
    source: Array.isArray(source) ? [...source] : source,
    pageLength: Math.max(1, Math.min(maxPageLength, Math.round(size * pageScale))),
    total: fault?.kind === 'total' ? fault.total : total,
    endless: endless || fault?.kind === 'endless',
    ignoresFilter: fault?.kind === 'ignore-filter',
    requests: 1,
    position: 0,
    responses: 0,
    lastRequestMs: deployment.now(),
    newestToken: undefined,
    ended: false,
  }
}
