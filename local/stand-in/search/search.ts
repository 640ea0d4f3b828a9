import { countOf, type DocumentSource, sliceOf } from '../documents.ts'
import type { InjectedFault } from '../faults.ts'
import { jsonBytes, type PlatformResponse, refusalResponse } from '../platform-response.ts'
import type { PlatformRequest } from '../received-request.ts'
import { type Rendering, renderPage } from '../rendering.ts'
import { totalText } from '../scrolls/total.ts'
import { project, sort } from './query.ts'
import type { SearchBehaviour } from './search-behaviour.ts'
import { select } from './select.ts'

const maxPerSearch = 100
/** In the field a search returns nothing beyond it: that is what scroll is for. */
const lastDocument = 10_000

interface SearchDeployment {
  readonly documents: ReadonlyMap<string, DocumentSource>
  readonly scroll: { readonly rendering: Rendering }
  readonly rangeSeparator: '=' | ' '
  readonly search: SearchBehaviour
}

/** Interface section 4.4: `REST-Range: resources=x-y` with an exclusive end; the first ten without it. */
export function respondToSearch(
  deployment: SearchDeployment,
  request: PlatformRequest,
  fault: InjectedFault | undefined,
): PlatformResponse {
  const { name: entity, query } = request
  const source = deployment.documents.get(entity)
  if (!source) return refusalResponse('documents', 404, `Data entity '${entity}' not found`)
  const header = String(request.headers['rest-range'] ?? 'resources=0-10')
  const match = /^resources=(\d+)-(\d+)$/.exec(header)
  const [from, to] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || to <= from) return refusalResponse('documents', 400, `Invalid REST-Range: ${header}`)
  if (to - from > maxPerSearch) return refusalResponse('documents', 400, 'At most 100 documents per request')
  if (from >= lastDocument)
    return refusalResponse('documents', 400, 'Search stops at document 10000: use scroll')
  const { search } = deployment
  const selected = select(source, query, { fault, filtering: search.filter, search })
  if (selected.kind === 'refused') return refusalResponse('documents', 400, selected.message)
  const found = sort(selected.source, query)
  const stored = sliceOf(found, from, Math.min(to, lastDocument))
  const documents = fault?.kind === 'page' ? fault.change(stored) : stored
  const shown = documents.map((document) => project(document, query))
  const body = shown.length === 0 ? Buffer.from('[]') : renderPage(shown, deployment.scroll.rendering)
  const total = totalText(search.total, countOf(found))
  const range = `resources${deployment.rangeSeparator}${from}-${from + documents.length}/${total}`
  return jsonBytes(body, total === undefined ? {} : { 'REST-Content-Range': range })
}
