import { documentPool } from './documents.ts'
import type { Simulation } from './simulation.ts'

export type Lie =
  | 'skip-page'
  | 'early-end'
  | 'drop-document'
  | 'repeat-page'
  | 'duplicate-document'
  | 'endless'

/** One scroll as the platform remembers it, and as the oracle asks for it. */
export interface ModelScroll {
  readonly id: number
  readonly entity: string
  readonly size: number
  /** Indexes into the pool: what an honest scroll brings. */
  readonly documents: readonly number[]
  readonly total: { readonly header: string | undefined; readonly reported: number | undefined }
  readonly lies: Set<Lie>
  /** How often each document has been put into an answer in different pages. */
  readonly sent: Map<number, number>
  next: number
  lastRequestAt: number
  dead: boolean
  ended: boolean
  token: string
}

export interface ModelAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** The platform: collections, open scrolls and what is true of them. Requests take effect one after the other. */
export class PlatformModel {
  readonly collections = new Map<string, readonly number[]>()
  readonly scrolls: ModelScroll[] = []
  readonly #sim: Simulation
  readonly #tokens = new Map<string, { scroll: ModelScroll; page: number }>()
  /** Version of the keys that are accepted, and of those in the secret. */
  keys = { accepted: [1], secret: 1 }

  constructor(sim: Simulation) {
    this.#sim = sim
  }

  scrollOfToken(token: string): ModelScroll | undefined {
    return this.#tokens.get(token)?.scroll
  }

  answer(target: string, keyVersion: number): ModelAnswer {
    if (!this.keys.accepted.includes(keyVersion)) return plain(401, 'Access denied')
    const url = new URL(target, 'http://platform')
    const entity = /^\/api\/dataentities\/([^/]+)\/scroll$/.exec(url.pathname)?.[1] ?? ''
    const token = url.searchParams.get('_token')
    return token === null ? this.#first(entity, Number(url.searchParams.get('_size'))) : this.#later(token)
  }

  #first(entity: string, size: number): ModelAnswer {
    const { chance, scheduler, scenario } = this.#sim
    const traits = scenario.platform
    const documents = this.collections.get(entity)
    if (!documents) return plain(404, '{"Message":"Data entity not found"}')
    if (!(size >= 1 && size <= 1000)) return plain(400, '{"Message":"_size"}')
    if (size > traits.timeoutOverSize) return plain(408, '{"Message":"Timeout"}')
    const open = this.scrolls.filter((scroll) => !this.#isDead(scroll) && !scroll.ended)
    if (open.length >= traits.maxScrolls) return plain(429, '{"Message":"Too many scrolls"}')
    const scroll: ModelScroll = {
      id: this.scrolls.length + 1,
      entity,
      size,
      documents,
      total: this.#total(documents.length, size),
      lies: new Set(),
      sent: new Map(),
      next: 0,
      lastRequestAt: scheduler.now(),
      dead: false,
      ended: false,
      token: '',
    }
    if (scroll.total.reported !== undefined && chance.happens(traits.lies / 10)) scroll.lies.add('endless')
    this.scrolls.push(scroll)
    const only = traits.onePageWithoutToken && documents.length <= size && documents.length > 0
    if (only) scroll.ended = true
    return this.#page(scroll, 0, only)
  }

  #later(token: string): ModelAnswer {
    const { chance, scheduler, scenario } = this.#sim
    const traits = scenario.platform
    const known = this.#tokens.get(token)
    const dead = plain(400, `{"Message":"Operation not found for this token: '${token}'"}`)
    if (!known || this.#isDead(known.scroll)) return dead
    const { scroll } = known
    if (traits.tokens === 'changing-strict' && token !== scroll.token) return dead
    if (scroll.ended && traits.afterEnd === 'dead' && traits.tokens !== 'positional') return dead
    if (chance.happens(traits.tokenDeath)) {
      this.#sim.count('token died early')
      scroll.dead = true
      return dead
    }
    scroll.lastRequestAt = scheduler.now()
    return this.#page(scroll, traits.tokens === 'positional' ? known.page : scroll.next)
  }

  #page(scroll: ModelScroll, asked: number, withoutToken = false): ModelAnswer {
    const { scenario } = this.#sim
    const traits = scenario.platform
    const pages = Math.ceil(scroll.documents.length / scroll.size)
    let page = scroll.lies.has('endless') ? asked % Math.max(1, pages) : asked
    let found = this.#documents(scroll, page)
    const lie = this.#lie(scroll, page, pages)
    if (lie) {
      this.#sim.count(`lie: ${lie}`)
      scroll.lies.add(lie)
      if (lie === 'skip-page') found = this.#documents(scroll, ++page)
      if (lie === 'early-end') found = []
      if (lie === 'drop-document') found = found.slice(1)
      if (lie === 'repeat-page') found = this.#documents(scroll, --page)
      if (lie === 'duplicate-document') found = [...found, scroll.documents[0] as number]
    }
    for (const index of found) scroll.sent.set(index, (scroll.sent.get(index) ?? 0) + 1)
    scroll.next = page + 1
    if (found.length === 0) scroll.ended = true
    const headers: Record<string, string> = {}
    if (scroll.total.header !== undefined) headers['rest-content-total'] = scroll.total.header
    if (!withoutToken && (asked === 0 || traits.tokenHeader === 'every')) {
      headers['x-svc-md-token'] = this.#tokenFor(scroll, page + 1)
    }
    if (found.length > 0) return { status: 200, headers, body: rendered(found, traits.rendering) }
    const ends = { empty: '', brackets: '[]', 'no-content': '', 'white-space': ' \r\n' }
    return { status: traits.end === 'no-content' ? 204 : 200, headers, body: Buffer.from(ends[traits.end]) }
  }

  #documents(scroll: ModelScroll, page: number): number[] {
    return scroll.documents.slice(page * scroll.size, (page + 1) * scroll.size)
  }

  #lie(scroll: ModelScroll, page: number, pages: number): Lie | undefined {
    const { chance, scenario } = this.#sim
    if (page >= pages || !chance.happens(scenario.platform.lies)) return undefined
    return chance.weighted({
      'skip-page': 1,
      'early-end': page > 0 ? 1 : 0,
      'drop-document': scroll.size > 1 ? 1 : 0,
      'repeat-page': page > 0 ? 2 : 0,
      'duplicate-document': 3,
    })
  }

  #tokenFor(scroll: ModelScroll, page: number): string {
    const { tokens } = this.#sim.scenario.platform
    const token = tokens === 'cursor' ? `scroll-${scroll.id}` : `scroll-${scroll.id}/${page} +%=`
    this.#tokens.set(token, { scroll, page })
    scroll.token = token
    return token
  }

  #total(count: number, size: number): ModelScroll['total'] {
    const { chance, scenario } = this.#sim
    const reporting = (total: number) => ({
      header: String(Math.max(0, total)),
      reported: Math.max(0, total),
    })
    switch (scenario.platform.total) {
      case 'right':
        return reporting(count)
      case 'slightly-wrong':
        return reporting(count + chance.pick([-2, -1, 1, 2]))
      case 'short-by-a-page':
        return reporting(count + chance.pick([-1, 1]) * size)
      case 'far-off':
        return reporting(chance.pick([0, 1, Math.floor(count / 2), count * 3 + 7]))
      case 'missing':
        return { header: undefined, reported: undefined }
      case 'malformed':
        return { header: chance.pick(['many', '-3', '1.5', '', '9'.repeat(30)]), reported: undefined }
    }
  }

  #isDead(scroll: ModelScroll): boolean {
    const { scheduler, scenario } = this.#sim
    return scroll.dead || scheduler.now() - scroll.lastRequestAt > scenario.platform.tokenLifeMs
  }
}

function rendered(found: readonly number[], rendering: 'compact' | 'pretty' | 'crlf'): Buffer {
  const parts: Buffer[] = []
  const [open, between, close] = {
    compact: ['[', ',', ']'],
    pretty: ['[\n', ',\n', '\n]\n'],
    crlf: ['\ufeff[\r\n', '\r\n,\t', '\r\n]\r\n'],
  }[rendering] as [string, string, string]
  parts.push(Buffer.from(open))
  for (const [at, index] of found.entries()) {
    if (at > 0) parts.push(Buffer.from(between))
    parts.push(documentPool[index]?.sent[rendering] as Buffer)
  }
  parts.push(Buffer.from(close))
  return Buffer.concat(parts)
}

const plain = (status: number, body: string): ModelAnswer => ({
  status,
  headers: {},
  body: Buffer.from(body),
})
