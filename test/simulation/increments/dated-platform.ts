import type { InjectedFault } from '../../../local/stand-in/faults.ts'
import { createPlatformModel, type PlatformModel } from '../../../local/stand-in/model.ts'
import type { PlatformResponse } from '../../../local/stand-in/platform-response.ts'
import { type PlatformRequest, readReceived } from '../../../local/stand-in/received-request.ts'
import type { PlayedSimulation } from '../simulation.ts'
import type { Surroundings } from '../surroundings.ts'
import { DocumentHistory, datesIn } from './document-history.ts'
import type { IncrementTraits } from './increment-traits.ts'

/** The stand-in's model in virtual time, whose documents have dates and a history. */
export class DatedPlatform {
  readonly history = new DocumentHistory()
  keys = { accepted: [1], secret: 1 }
  readonly hasSentLastPage = false
  readonly #sim: Surroundings & Pick<PlayedSimulation, 'scenario'>
  readonly #model: PlatformModel
  /** The last response to each kind of request. */
  readonly #last = new Map<string, PlatformResponse>()
  #lagMs = 0
  /** The time since which the index has shown every document, except for those that changed later. */
  #currentSince = 0

  constructor(sim: Surroundings) {
    this.#sim = sim
    this.#model = createPlatformModel({
      credentials: [{ appKey: 'key', appToken: '1' }],
      now: sim.scheduler.now,
    })
  }

  /** The platform's own clock. */
  now(): number {
    const { clockMs } = this.#traits
    return this.#sim.scheduler.now() + (clockMs === 'none' ? 0 : clockMs)
  }

  /** The time since which changes are visible at once; undefined while the index lags. */
  get currentSince(): number | undefined {
    return this.#lagMs === 0 ? this.#currentSince : undefined
  }

  setLag(ms: number): void {
    this.#lagMs = ms
    this.#currentSince = this.#sim.scheduler.now()
  }

  losesResponse(): void {}
  confirmsEnd(): void {}

  respond({
    target,
    headers,
  }: {
    readonly target: string
    readonly headers: Readonly<Record<string, string>>
  }): PlatformResponse {
    const received = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    const request = readReceived({
      method: 'GET',
      url: target,
      headers: { ...Object.fromEntries(received), 'x-svc-api-appkey': 'key', 'x-svc-api-apptoken': '1' },
      body: Buffer.alloc(0),
    })
    const isFiltered = request.query.get('_where')?.includes('updatedIn between') ?? false
    const between = this.#intermediary(request)
    if (between) return between
    this.#behave(isFiltered)
    this.#model.place(request)
    const response = this.#model.respond(request, this.#fault(request, isFiltered))
    this.#last.set(request.kind, response)
    if (this.#traits.clockMs === 'none') return response
    return { ...response, headers: { ...response.headers, Date: new Date(this.now()).toUTCString() } }
  }

  /** What is between us and the platform responds in its place: a firewall, or a cache with an older response. */
  #intermediary({ kind }: PlatformRequest): PlatformResponse | undefined {
    const sim = this.#sim
    if (!sim.chance.happens(this.#traits.intermediaries)) return undefined
    const cached = this.#last.get(kind)
    if (cached && sim.chance.happens(0.5)) {
      sim.count('platform: cached')
      return { ...cached, headers: { ...cached.headers, Age: '3600' } }
    }
    sim.count('platform: firewall')
    return {
      status: 403,
      headers: { 'Content-Type': 'text/html' },
      body: Buffer.from('<html>Blocked</html>'),
    }
  }

  get #traits(): IncrementTraits {
    const { increments } = this.#sim.scenario
    if (!increments) throw new Error('The scenario has no increments.')
    return increments
  }

  #behave(isFiltered: boolean): void {
    const { chance, scheduler, scenario } = this.#sim
    const documents = this.history.at(scheduler.now() - this.#lagMs)
    this.#model.documents.set(
      'CL',
      documents.map((text) => Buffer.from(text)),
    )
    const { tokens, tokenHeader, tokenLifeMs, end, afterEnd, onlyPage, maxScrolls, live } = scenario.platform
    const { total } = this.#traits
    const totals = { right: 'right', missing: 'missing', off: { offBy: chance.pick([-1, 1]) } } as const
    const reported = isFiltered ? totals[total] : ('right' as const)
    const behaviour = { tokens, tokenHeader, tokenLifeMs, end, afterEnd, onlyPage, maxScrolls, live }
    Object.assign(this.#model.scroll, behaviour, { total: reported })
  }

  #fault({ kind, query }: PlatformRequest, isFiltered: boolean): InjectedFault | undefined {
    const { chance, scenario } = this.#sim
    if (query.get('_token') !== null && chance.happens(scenario.platform.earlyTokenExpiry))
      return { kind: 'expire-token' }
    if (!isFiltered) return undefined
    const isScroll = kind === 'scroll'
    switch (this.#traits.filter) {
      case 'honest':
        return undefined
      case 'ignored':
        return { kind: 'ignore-filter' }
      case 'ignored-by-scrolls':
        return isScroll ? { kind: 'ignore-filter' } : undefined
      case 'refused':
        return { kind: 'refuse-filter' }
      case 'refused-by-scrolls':
        return isScroll ? { kind: 'refuse-filter' } : undefined
      case 'coarse': {
        const all = this.#model.documents.get('CL') as readonly Buffer[]
        return { kind: 'matches', change: () => inCoarseWindow(all, query.get('_where') ?? '') }
      }
      case 'leaks': {
        const all = this.#model.documents.get('CL') as readonly Buffer[]
        return {
          kind: 'matches',
          change: (matching) => [...matching, ...all.filter((one) => !matching.includes(one)).slice(0, 2)],
        }
      }
    }
  }
}

const hourMs = 60 * 60_000

/** The documents with a date in the hours of a window. */
function inCoarseWindow(documents: readonly Buffer[], where: string): Buffer[] {
  const [, from = '', to = ''] = /updatedIn between (\S+) AND (\S+)\)/.exec(where) ?? []
  const hourOf = (date: number) => Math.floor(date / hourMs)
  const [first, last] = [from, to].map((date) => hourOf(Date.parse(date))) as [number, number]
  return documents.filter((document) =>
    datesIn(document.toString()).some((date) => hourOf(date) >= first && hourOf(date) <= last),
  )
}
