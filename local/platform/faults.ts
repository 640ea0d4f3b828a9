import type { ReceivedRequest } from './received-request.ts'
import type { Total } from './total.ts'

/**
 * What can go wrong on the way. `effect` says whether the platform does its work: `before` it (nothing has
 * happened, the cursor has not moved) or `after` it (the cursor has moved, the patch is in, the answer is lost).
 */
export type Fault =
  | StatusFault
  /** Never ends: silent at once, or after a part (0 to 1) of the whole answer. */
  | { kind: 'hang'; effect?: Effect; part?: number }
  /** The right answer, late, or a few bytes at a time (1024 if not given). */
  | { kind: 'slow'; beforeHeadersMs?: number; betweenChunksMs?: number; chunkBytes?: number }
  | { kind: 'reset'; effect?: Effect }
  /** Ends after a part (0 to 1, half if not given) of the body. `close`: no length was promised. */
  | { kind: 'cut'; part?: number; framing?: 'length' | 'chunked' | 'close' }
  /** 200 with the page of some proxy on the way. */
  | { kind: 'html'; effect?: Effect }
  | { kind: 'redirect'; location?: string; status?: number }
  | { kind: 'huge'; bytes: number }
  | { kind: 'gzip' }
  /** Any other body, made from the right one. */
  | { kind: 'body'; change: (body: Buffer) => Buffer }
  /** Other documents in the page: `duplicateDocument()`, `dropDocument()`, `noDocuments`, or your own. */
  | { kind: 'page'; change: (documents: Buffer[]) => Buffer[] }
  /** The page before once more; the page that was due comes next, or never if `lose`. */
  | { kind: 'repeat-page'; lose?: boolean }
  /** The page that was due never comes; this answer is the one after it. */
  | { kind: 'skip-page' }
  /** The end, although documents remain. */
  | { kind: 'end' }
  | { kind: 'total'; total: Total }
  | { kind: 'expire-token' }

export type Effect = 'before' | 'after'

interface StatusFault {
  kind: 'status'
  status: number
  headers?: Record<string, string>
  /** The area's usual refusal if not given. */
  body?: string
  effect?: Effect
}

export interface Rule {
  readonly match: (request: ReceivedRequest) => boolean
  readonly fault: Fault
  /** How many matching requests it strikes: one if not given, `Infinity` for all. */
  readonly times?: number
  /** How many matching requests it lets pass first. */
  readonly after?: number
}

export interface Faults {
  /** The oldest rule that matches strikes. */
  add(rule: Rule): { readonly struck: number; remove(): void }
  clear(): void
  /** What strikes this request, if anything; counts it. */
  strike(request: ReceivedRequest): Fault | undefined
}

export function createFaults(): Faults {
  const rules = new Set<{ rule: Rule; seen: number; struck: number }>()
  return {
    add(rule) {
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
    strike(request) {
      for (const entry of rules) {
        const { match, after = 0, times = 1, fault } = entry.rule
        if (entry.struck >= times || !match(request)) continue
        entry.seen += 1
        if (entry.seen <= after) continue
        entry.struck += 1
        return fault
      }
      return undefined
    },
  }
}

interface ScrollMatch {
  entity?: string
  /** Which scroll of the entity: a new attempt is a new scroll. */
  scroll?: number
  /** The n-th request of its scroll, failed ones included. */
  request?: number
  /** The request that is due to get the n-th page. */
  page?: number
}

export function onScroll(wanted: ScrollMatch = {}): Rule['match'] {
  return ({ kind, name, scroll }) =>
    kind === 'scroll' &&
    (wanted.entity === undefined || wanted.entity === name) &&
    (wanted.scroll === undefined || wanted.scroll === scroll?.scroll) &&
    (wanted.request === undefined || wanted.request === scroll?.request) &&
    (wanted.page === undefined || wanted.page === scroll?.page)
}

export function onSearch(entity?: string): Rule['match'] {
  return (request) => request.kind === 'search' && (entity === undefined || entity === request.name)
}

export function onDock(dockId?: string): Rule['match'] {
  return (request) => request.kind === 'dock' && (dockId === undefined || dockId === request.name)
}

/** Both patches, of a group and of a subscription. */
export function onPatch(id?: string): Rule['match'] {
  return (request) =>
    (request.kind === 'group' || request.kind === 'subscription') && (id === undefined || id === request.name)
}

export function duplicateDocument(index = 0): (documents: Buffer[]) => Buffer[] {
  return (documents) => documents.flatMap((bytes, at) => (at === index ? [bytes, bytes] : [bytes]))
}

export function dropDocument(index = 0): (documents: Buffer[]) => Buffer[] {
  return (documents) => documents.filter((_, at) => at !== index)
}

export const noDocuments = (): Buffer[] => []
