import { createHash } from 'node:crypto'
import type { UpstreamFailure, UpstreamResponse } from '../../upstream/exchange.ts'
import { type Exchange, recordedResponse } from '../../upstream/recorded-exchange.ts'
import type { PreparedPage, RecordedPage } from '../page/store.ts'
import { bodyKind } from './body-kind.ts'

interface RecordContext {
  readonly now: () => number
  readonly redact: (text: string) => string
}

/** More would not fit into an item. */
const maxExchanges = 100

/** The requests of a scroll since its last committed item, from which the publisher decides the proof. */
export class ExchangeRecord {
  #exchanges: readonly Exchange[]
  #request = ''
  #bodySha256 = ''
  #searched: readonly number[] | undefined
  readonly #context: RecordContext

  constructor(exchanges: readonly Exchange[], context: RecordContext) {
    this.#exchanges = exchanges
    this.#context = context
  }

  /** Those that are not part of an item yet. */
  get pending(): readonly Exchange[] {
    return this.#exchanges
  }

  /** The first request of an item is kept: a scroll can be continued before its first page. */
  sent(target: string): void {
    this.#request ||= target
  }

  responded(response: UpstreamResponse): void {
    const recorded = recordedResponse(response, { at: this.#context.now(), redact: this.#context.redact })
    this.#bodySha256 = createHash('sha256').update(response.body).digest('hex')
    const brings = response.status < 300 && ['documents', 'cut-off'].includes(bodyKind(response.body))
    // What a customer's document contains is in no item.
    const details = { headers: recorded.details?.headers ?? {}, body: '[{' }
    this.#add(brings ? { ...recorded, details } : recorded)
  }

  failed({ kind }: UpstreamFailure): void {
    this.#add({ at: this.#context.now(), error: kind })
  }

  searched(totals: readonly number[]): void {
    this.#searched = totals
  }

  /** The last response repeated documents of the attempt's first page. */
  repeated({ fingerprints }: Pick<PreparedPage, 'fingerprints'>): void {
    const last = this.#exchanges.at(-1)
    if (!last || !('status' in last)) return
    const hex = fingerprints.toString('hex')
    const ids = Array.from({ length: fingerprints.length / 8 }, (_, at) => hex.slice(16 * at, 16 * at + 16))
    const details = { headers: {}, body: '', ...last.details, ids }
    this.#exchanges = [...this.#exchanges.slice(0, -1), { ...last, details }]
  }

  /** What belongs to the page or the end that came last. The record of the next item begins. */
  take(): RecordedPage {
    const taken = {
      request: this.#request,
      exchanges: this.#exchanges,
      bodySha256: this.#bodySha256,
      ...(this.#searched && { searched: this.#searched }),
    }
    this.#exchanges = []
    this.#request = ''
    this.#searched = undefined
    return taken
  }

  /** The page that these brought cannot be stored: they belong to the next item. */
  giveBack({ request, exchanges, searched }: RecordedPage): void {
    this.#request = request
    this.#exchanges = [...exchanges, ...this.#exchanges].slice(-maxExchanges)
    this.#searched ??= searched
  }

  #add(exchange: Exchange): void {
    this.#exchanges = [...this.#exchanges, exchange].slice(-maxExchanges)
  }
}
