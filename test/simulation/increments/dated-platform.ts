import type { InjectedFault } from '../../../local/stand-in/faults.ts'
import { createPlatformModel, type PlatformModel } from '../../../local/stand-in/model.ts'
import type { PlatformResponse } from '../../../local/stand-in/platform-response.ts'
import { type PlatformRequest, readReceived } from '../../../local/stand-in/received-request.ts'
import type { PlayedSimulation } from '../simulation.ts'
import type { Surroundings } from '../surroundings.ts'
import { DocumentHistory } from './document-history.ts'
import type { IncrementTraits } from './increment-traits.ts'

/** The stand-in's model in virtual time, whose documents have dates and a history. */
export class DatedPlatform {
  readonly history = new DocumentHistory()
  keys = { accepted: [1], secret: 1 }
  readonly hasSentLastPage = false
  readonly #sim: Surroundings & Pick<PlayedSimulation, 'scenario'>
  readonly #model: PlatformModel
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
    this.#behave(isFiltered)
    this.#model.place(request)
    const response = this.#model.respond(request, this.#fault(request, isFiltered))
    if (this.#traits.clockMs === 'none') return response
    return { ...response, headers: { ...response.headers, Date: new Date(this.now()).toUTCString() } }
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
