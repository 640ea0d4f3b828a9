import { countOf } from '../../../local/stand-in/documents.ts'
import type { InjectedFault } from '../../../local/stand-in/faults.ts'
import { createPlatformModel, type PlatformModel } from '../../../local/stand-in/model.ts'
import type { PlatformResponse } from '../../../local/stand-in/platform-response.ts'
import { type PlatformRequest, readReceived } from '../../../local/stand-in/received-request.ts'
import type { StandInScroll } from '../../../local/stand-in/scrolls/scroll.ts'
import { totalText } from '../../../local/stand-in/scrolls/total.ts'
import type { Surroundings } from '../surroundings.ts'
import { baseOf, canonical, distinctDocuments, otherVersion } from './document-versions.ts'
import { documentPool, indexOf } from './documents.ts'
import { drawLie, drawTotal, type Lie, lieFaults } from './lies.ts'
import { filterFault } from './wrong-filters.ts'

/** What the oracle knows about a scroll that no client can know. */
export interface ScrollRecord {
  readonly scroll: StandInScroll
  readonly entity: string
  /** When the first page was sent, in epoch milliseconds. */
  readonly respondedAt: number
  /** Indexes of the documents that an honest scroll sends. */
  documents: readonly number[]
  /** What the first response reported; undefined if it reported no usable total. */
  readonly reported: number | undefined
  readonly lies: Set<Lie>
  /** How many pages each document was sent in. */
  readonly sent: Map<number, number>
}

/** The stand-in's model in virtual time, with random lies. Requests take effect one after the other. */
export class SimulatedPlatform {
  readonly scrolls: ScrollRecord[] = []
  readonly #sim: Surroundings
  readonly #model: PlatformModel
  readonly #records = new Map<StandInScroll, ScrollRecord>()
  /** Versions of the credentials that are accepted, and of those in the secret. */
  keys = { accepted: [1], secret: 1 }
  /** Whether it had as many open scrolls as it allows. */
  hasRefusedScrolls = false

  constructor(sim: Surroundings) {
    this.#sim = sim
    this.#model = createPlatformModel({
      now: sim.scheduler.now,
      onPage: (scroll, documents) => this.#sent(scroll, documents),
    })
  }

  collection(entity: string): readonly number[] {
    return (this.#model.documents.get(entity) as Buffer[]).map(indexOf)
  }

  /** Every state of each collection, in order. */
  readonly #states = new Map<string, (readonly number[])[]>()
  /** When each document was created last, by its first version. */
  readonly #createdAt = new Map<string, Map<number, number>>()

  /** How often a collection has changed. */
  changes(entity: string): number {
    return this.#states.get(entity)?.length ?? 0
  }

  /** The states of a collection since it had changed this many times. */
  statesSince(entity: string, changes: number): readonly (readonly number[])[] {
    return this.#states.get(entity)?.slice(Math.max(0, changes - 1)) ?? []
  }

  setCollection(entity: string, indexes: readonly number[]): void {
    const states = this.#states.get(entity) ?? []
    states.push(indexes)
    this.#states.set(entity, states)
    const before = this.#createdAt.get(entity)
    const now = this.#sim.scheduler.now()
    this.#createdAt.set(entity, new Map(indexes.map(baseOf).map((base) => [base, before?.get(base) ?? now])))
    this.#model.documents.set(
      entity,
      indexes.map((index) => documentPool[index] as Buffer),
    )
    if (!this.#sim.scenario.platform.live) return
    for (const record of this.scrolls) {
      if (record.entity === entity && !record.scroll.ended) record.lies.add('live')
    }
  }

  recordOfToken(token: string): ScrollRecord | undefined {
    const scroll = this.#model.scrollOf(token)
    return scroll && this.#records.get(scroll)
  }

  respond(
    { target, headers }: { readonly target: string; readonly headers: Readonly<Record<string, string>> },
    keyVersion: number,
  ): PlatformResponse {
    const request = readReceived({
      method: 'GET',
      url: target,
      headers: {
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
        'x-svc-api-appkey': 'key',
        'x-svc-api-apptoken': String(keyVersion),
      },
      body: Buffer.alloc(0),
    })
    this.hasSentLastPage = false
    this.#behave()
    this.#changeDocuments(request.name)
    const response = this.#model.respond(request, this.#drawFault(request))
    if (response.status === 400) {
      const isThrottled = response.body.includes('Maximum simultaneous scrolls')
      this.hasRefusedScrolls ||= isThrottled
      if (!isThrottled) this.confirmsEnd(request.query.get('_token'))
    }
    if (request.kind === 'search' && !isFiltered(request)) this.#noteTotal(request.name, response)
    return response
  }

  /** A refusal confirms that the scroll has ended, but not throttling (CONTRACT: the scroll, rule 4). */
  confirmsEnd(token: string | null): void {
    const record = this.recordOfToken(token ?? '')
    if (record?.lies.has('early-end')) record.lies.add('early-end-confirmed')
  }

  /** The client does not learn the outcome of a request that the platform acts on. */
  losesResponse(token: string | null): void {
    const record = this.recordOfToken(token ?? '')
    if (record?.lies.has('early-end')) record.lies.add('early-end-unanswered')
  }

  /** What searches without a range's filter reported. */
  readonly totals: { readonly entity: string; readonly at: number; readonly total: number }[] = []

  #noteTotal(entity: string, { headers }: PlatformResponse): void {
    const [, total] = /\/(\d+)$/.exec(String(headers['REST-Content-Range'])) ?? []
    if (total !== undefined) this.totals.push({ entity, at: this.#sim.scheduler.now(), total: Number(total) })
  }

  /** The scenario changes when all faults stop, and the total differs by scroll. */
  #behave(): void {
    const { platform } = this.#sim.scenario
    const accepted = this.keys.accepted.map((version) => ({ appKey: 'key', appToken: String(version) }))
    this.#model.credentials.splice(0, this.#model.credentials.length, ...accepted)
    const { tokens, tokenHeader, tokenLifeMs, end, afterEnd, onlyPage } = platform
    const { rendering, maxScrolls, timeoutOverSize, pageScale, live } = platform
    const behaviour = { tokens, tokenHeader, tokenLifeMs, end, afterEnd, onlyPage }
    Object.assign(this.#model.scroll, behaviour, { rendering, maxScrolls, timeoutOverSize, pageScale, live })
  }

  /** Creates, updates or deletes a document. */
  #changeDocuments(entity: string): void {
    const { chance, scenario } = this.#sim
    const { live, changes } = scenario.platform
    // Other scrolls show the documents as of their opening, so that only ranges that open later differ.
    if (!chance.happens(live ? changes : changes / 10)) return
    const indexes = [...this.collection(entity)]
    const index = chance.integer(0, distinctDocuments - 1)
    const at = indexes.findIndex((one) => baseOf(one) === index)
    if (at >= 0 && chance.happens(0.5))
      indexes[at] = otherVersion(indexes[at] as number, chance.integer(0, 4))
    else if (at >= 0 || (chance.happens(0.5) && indexes.length > 1)) {
      indexes.splice(at >= 0 ? at : chance.integer(0, indexes.length - 1), 1)
    } else indexes.push(index)
    this.#sim.count('a document changed')
    this.setCollection(entity, indexes)
  }

  #drawFault(request: PlatformRequest): InjectedFault | undefined {
    const { chance, scenario } = this.#sim
    this.#firstLie = undefined
    const place = this.#model.place(request)
    if (!place) return this.#filterFault(request)
    const token = request.query.get('_token')
    const known = token === null ? undefined : this.#model.scrollOf(token)
    const size = Number(request.query.get('_size'))
    const count = countOf(known?.source ?? this.#model.documents.get(request.name) ?? [])
    if (!known) {
      this.#model.scroll.total = drawTotal(this.#sim, { size, count })
      const reports = !['missing', 'malformed'].includes(scenario.platform.total)
      if (reports && chance.happens(scenario.platform.lies / 10)) return { kind: 'endless' }
    } else if (chance.happens(scenario.platform.earlyTokenExpiry)) {
      this.#sim.count('token expired early')
      return { kind: 'expire-token' }
    }
    const pages = Math.ceil(count / (known?.pageLength ?? size))
    const filterFault = known ? undefined : this.#filterFault(request)
    if (filterFault) return filterFault
    const lies = known && this.#records.get(known)?.lies
    const lie = drawLie(this.#sim, {
      page: place.page - 1,
      pages,
      pageLength: known?.pageLength ?? size,
      hasEnded: lies?.has('early-end') === true,
    })
    if (!lie) return undefined
    this.#sim.count(`lie: ${lie}`)
    if (known) lies?.add(lie)
    else this.#firstLie = lie
    return lieFaults[lie](known?.source as Buffer[] | undefined, scenario)
  }

  /** A platform that does not understand a filter. */
  #filterFault({ kind, query, name }: PlatformRequest): InjectedFault | undefined {
    const { filters } = this.#sim.scenario.platform
    const where = query.get('_where') ?? ''
    if (!isFiltered({ query })) return undefined
    const now = this.#sim.scheduler.now()
    const created = this.#createdAt.get(name)
    const ageOf = (base: number) => now - (created?.get(base) ?? 0)
    return filterFault(filters, { kind, where, now, ageOf })
  }

  /** The lie of a first page, whose scroll is not open yet. */
  #firstLie: Lie | undefined

  /** Whether the last response was the last page of a scroll of several. */
  hasSentLastPage = false

  #sent(scroll: StandInScroll, documents: readonly Buffer[]): void {
    this.hasSentLastPage =
      documents.length > 0 &&
      scroll.responses > 1 &&
      scroll.position * scroll.pageLength >= countOf(scroll.source)
    const record = this.#records.get(scroll) ?? this.#opened(scroll)
    // It sends what was created after its end.
    if (scroll.ended && documents.length > 0 && this.#sim.scenario.platform.live) record.lies.add('live')
    for (const index of documents.map(indexOf).map(canonical))
      record.sent.set(index, (record.sent.get(index) ?? 0) + 1)
  }

  #opened(scroll: StandInScroll): ScrollRecord {
    const text = totalText(scroll.total, countOf(scroll.source)) ?? ''
    const record: ScrollRecord = {
      scroll,
      entity: scroll.entity,
      respondedAt: this.#sim.scheduler.now(),
      documents: (scroll.source as Buffer[]).map(indexOf).map(canonical),
      reported: /^\d{1,15}$/.test(text) ? Number(text) : undefined,
      lies: new Set(this.#firstLie ? [this.#firstLie] : []),
      sent: new Map(),
    }
    if (scroll.endless) record.lies.add('endless')
    this.#firstLie = undefined
    this.#records.set(scroll, record)
    this.scrolls.push(record)
    return record
  }
}

const isFiltered = ({ query }: Pick<PlatformRequest, 'query'>) =>
  query.get('_where')?.includes('createdIn') ?? false
