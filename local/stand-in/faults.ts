import type { ReceivedRequest } from './received-request.ts'
import type { EndForm } from './scrolls/scroll-behaviour.ts'
import type { ScrollPlace } from './scrolls/scroll-place.ts'
import type { ScrollTotal } from './scrolls/total.ts'

/**
 * What can go wrong with a request. `effect` is when the fault strikes: `before` the platform acts (nothing has
 * happened, the cursor has not moved) or `after` it (the cursor has moved, the patch is applied, the response is lost).
 */
export type InjectedFault =
  | StatusFault
  /** Never ends: without a response, or after a part (0 to 1) of it. */
  | { kind: 'hang'; effect?: Effect; part?: number }
  /** The intended response, late, or a few bytes at a time (1024 by default). */
  | { kind: 'slow'; beforeHeadersMs?: number; betweenChunksMs?: number; chunkBytes?: number }
  | { kind: 'reset'; effect?: Effect }
  /** Ends after a part (0 to 1, half by default) of the body. With `close` there is no Content-Length. */
  | { kind: 'cut'; part?: number; framing?: 'length' | 'chunked' | 'close' }
  /** 200 with the HTML page of a proxy between us and the platform. */
  | { kind: 'html'; effect?: Effect }
  | { kind: 'redirect'; location?: string; status?: number }
  | { kind: 'huge'; bytes: number }
  /** Compressed although not requested; with `part` (0 to 1) the compressed body is cut off there. */
  | { kind: 'gzip'; part?: number }
  /** Another body, made from the intended one. */
  | { kind: 'body'; change: (body: Buffer) => Buffer }
  | { kind: 'page'; change: (documents: Buffer[]) => Buffer[] }
  /** The previous page again. The page that was due follows, or never if `lose`. */
  | { kind: 'repeat-page'; lose?: boolean }
  /** The page that was due is left out; the response is the page after it. */
  | { kind: 'skip-page' }
  /** The end, although documents remain. The page that was due follows if the cursor stays, or never. */
  | { kind: 'end'; cursor: 'stays' | 'moves' }
  | { kind: 'end-form'; form: EndForm }
  /** After the last page of this scroll the first one follows, without an end. Strikes the first request. */
  | { kind: 'endless' }
  | { kind: 'total'; total: ScrollTotal }
  | { kind: 'expire-token' }
  /** The newest token of another scroll in place of the scroll's own. */
  | { kind: 'foreign-token' }
  /** Filters of a search or scroll are ignored: everything matches. */
  | { kind: 'ignore-filter' }
  /** Other documents match a filter. */
  | { kind: 'matches'; change: (documents: Buffer[]) => Buffer[] }
  /** 400: a field of the filter is not searchable. */
  | { kind: 'refuse-filter' }
  /** The index lags: the newest documents do not appear in a search or a new scroll yet. */
  | { kind: 'lag'; documents: number }

export type Effect = 'before' | 'after'

interface StatusFault {
  kind: 'status'
  status: number
  headers?: Record<string, string>
  /** The usual refusal of the area by default. */
  body?: string
  effect?: Effect
}

export interface FaultRule {
  readonly match: (request: ReceivedRequest) => boolean
  readonly fault: InjectedFault
  /** How many matching requests it strikes: one by default, `Infinity` for all. */
  readonly times?: number
  /** How many matching requests pass first. */
  readonly after?: number
  /** Called each time it strikes. */
  readonly onStrike?: () => void
}

export type Faults = ReturnType<typeof createFaults>

export function createFaults() {
  const rules = new Set<{ rule: FaultRule; seen: number; struck: number }>()
  return {
    /** The oldest matching rule applies. */
    add(rule: FaultRule) {
      const entry = { rule, seen: 0, struck: 0 }
      rules.add(entry)
      return {
        get struck() {
          return entry.struck
        },
        remove: () => void rules.delete(entry),
      }
    },
    clear: () => rules.clear(),
    /** The fault that strikes this request, if any. Counts the request. */
    strike(request: ReceivedRequest): InjectedFault | undefined {
      for (const entry of rules) {
        const { match, after = 0, times = 1, fault, onStrike } = entry.rule
        if (entry.struck >= times || !match(request)) continue
        entry.seen += 1
        if (entry.seen <= after) continue
        entry.struck += 1
        onStrike?.()
        return fault
      }
      return undefined
    },
  }
}

export function onScroll(
  wanted: Partial<ScrollPlace> & { readonly entity?: string } = {},
): FaultRule['match'] {
  return ({ kind, name, scroll }) =>
    kind === 'scroll' &&
    (wanted.entity === undefined || wanted.entity === name) &&
    (wanted.scroll === undefined || wanted.scroll === scroll?.scroll) &&
    (wanted.request === undefined || wanted.request === scroll?.request) &&
    (wanted.page === undefined || wanted.page === scroll?.page)
}
