import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveConfig } from '../../lib/config.ts'
import { startExampleShop } from '../../local/shop/example-shop.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type FaultRule, onScroll } from '../../local/stand-in/faults.ts'
import { platformLike } from '../../local/stand-in/like.ts'
import { localCredentials, type PlatformOptions, startPlatform } from '../../local/stand-in/platform.ts'
import type { ScrollBehaviour } from '../../local/stand-in/scrolls/scroll-behaviour.ts'
import { type SearchBehaviour, usualSearch } from '../../local/stand-in/search/search-behaviour.ts'
import { givenCredentials } from '../../operator/access/given.ts'
import { requireEntity } from '../../operator/deployment/deployment.ts'
import type { ProbeFacts } from '../../operator/probe/facts.ts'
import { parseReport, probeReport } from '../../operator/probe/report.ts'
import { probeLimits, runProbe } from '../../operator/probe/run-probe.ts'
import { noDocuments, onSearch } from '../stand-in-faults.ts'

const pageSize = 50

interface StandIn extends PlatformOptions {
  readonly rules?: readonly FaultRule[]
}

/** A clock that only waits move, and requests if they take time. */
function virtualClock(requestMs = 0) {
  let time = Date.now()
  const pass = (ms: number) => {
    time += ms
  }
  return { now: () => time, sleep: async (ms: number) => pass(ms), onRequest: () => pass(requestMs) }
}

/** Probes a stand-in over HTTP. */
async function probe(
  { rules = [], ...options }: StandIn,
  { tokenLife = false, clock = virtualClock(), credentials = givenCredentials(localCredentials) } = {},
): Promise<ProbeFacts> {
  const platform = await startPlatform(options)
  for (const rule of rules) platform.faults.add(rule)
  try {
    const entities = [{ name: 'CL', schedule: 'rate(1 day)', pageSize }]
    const configuration = resolveConfig({ upstream: { baseUrl: platform.url }, entities })
    const { facts } = await runProbe(
      requireEntity(configuration, 'CL'),
      { tokenLife, wrongKey: true },
      { ...clock, upstream: configuration.upstream, credentials },
    )
    expect(platform.requests.length).toBeLessThanOrEqual(probeLimits.requests)
    expect(new Set(platform.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
    return facts
  } finally {
    await platform.close()
  }
}

type Written = (utc: string, index: number) => string | null

/** 120 documents that were updated an hour after they were created. */
function documents(createdIn: Written = asUtc, updatedIn: Written = asUtc, count = 120): PlatformOptions {
  const member = (name: string, written: string | null) => (written === null ? '' : `"${name}":${written},`)
  const iso = (time: number) => new Date(time).toISOString()
  const CL = makeDocuments(count, { bytes: 320 }).map((bytes, index) => {
    const created = Date.UTC(2020, 0, 1) + index * 61_007 + 12_345
    const members = [
      member('createdIn', createdIn(iso(created), index)),
      member('updatedIn', updatedIn(iso(created + 3_600_000), index)),
    ]
    return Buffer.from(String(bytes).replace(/"createdIn":.*"updatedIn":null,/, members.join('')))
  })
  return { documents: { CL } }
}

const asUtc: Written = (utc) => `"${utc}"`
const byDays: Written = (utc, index) => `"${new Date(Date.parse(utc) + index * 36_000_000).toISOString()}"`
const withoutZone: Written = (utc) => `"${utc.slice(0, -1)}"`
const inLisbon: Written = (utc) => `"${utc.replace('Z', '+01:00')}"`
const ofDotNet: Written = (utc) => `"/Date(${Date.parse(utc)})/"`

const usual: ProbeFacts = {
  searchTotal: { kind: 'reported', documents: 120, separator: '=' },
  searchFilter: { kind: 'honored' },
  unknownField: { kind: 'honored' },
  createdIn: { kind: 'utc' },
  updatedIn: { kind: 'utc' },
  scrollTotal: { kind: 'reported', documents: 120, isStable: true },
  totalCheck: { kind: 'right' },
  tokenHeader: { kind: 'every' },
  tokens: { kind: 'cursor' },
  pageSize: { kind: 'honored', documents: pageSize },
  scrollFilter: { kind: 'honored' },
  end: { kind: 'empty' },
  afterEnd: { kind: 'end' },
  createdInIndex: { kind: 'milliseconds' },
  updatedInIndex: { kind: 'milliseconds' },
  ranges: { kind: 'add-up' },
  coding: { kind: 'none' },
  cache: { kind: 'none' },
  cookies: { kind: 'none' },
  clock: { kind: 'agrees' },
  retryAfter: { kind: 'not-seen' },
  tokenLife: { kind: 'not-tried' },
  wrongKey: { kind: 'refused', status: 401 },
}

const refused = (status: number) => ({ kind: 'refused', status }) as const
const unclear = (response: string) => ({ kind: 'unclear', response }) as const
const notTried = { kind: 'not-tried' } as const
const noEnd = { end: notTried, afterEnd: notTried } as const
const endedBy = (response: string) => ({ end: unclear(response), afterEnd: notTried }) as const
const withoutTokens = { tokenHeader: { kind: 'never' }, tokens: notTried, ...endedBy('documents') } as const
const fewValues = { ranges: { kind: 'too-few-values' } } as const
const withoutIndex = { createdInIndex: notTried, updatedInIndex: notTried, ranges: notTried } as const
const scroll = (scroll: Partial<ScrollBehaviour>): StandIn => ({ scroll })
const searches = (search: Partial<SearchBehaviour>): StandIn => ({ search })
const index = (index: Partial<SearchBehaviour['index']>) =>
  searches({ index: { ...usualSearch.index, ...index } })
/** What both dates have. */
const both = <Fact>(fact: Fact) => ({ createdInIndex: fact, updatedInIndex: fact })
const unit = (kind: 'seconds' | 'minutes' | 'hours' | 'days') => both({ kind })
const shifted = (minutes: number) => both({ kind: 'shifted', minutes } as const)
const printed = (kind: 'local' | 'offset') => ({ createdIn: { kind }, updatedIn: { kind } })
const waits = (headers: Record<string, string>): StandIn => ({
  rules: [{ match: onSearch(), after: 4, fault: { kind: 'status', status: 429, headers } }],
})
const found = (documents: number) => ({ kind: 'reported', documents, separator: '=' }) as const
const many = documents(asUtc, asUtc, 12_000)
const capped = { total: { cappedAt: 10_000 } }
const uncounted = { searchTotal: found(10_000), ranges: { kind: 'do-not-add-up' } } as const
const reported = (documents: number) => ({ kind: 'reported', documents, isStable: true }) as const

type Variant = readonly [name: string, standIn: StandIn, otherFacts: Partial<ProbeFacts>]

/** Every fact that is not listed is the usual one. */
const variants: readonly Variant[] = [
  ['is usual', {}, {}],
  [
    'separates the range by a space',
    { rangeSeparator: ' ' },
    { searchTotal: { kind: 'reported', documents: 120, separator: ' ' } },
  ],
  [
    'reports no total of searches',
    searches({ total: 'missing' }),
    {
      searchTotal: { kind: 'missing' },
      totalCheck: unclear('nothing to compare'),
      ranges: unclear('no total'),
    },
  ],
  [
    'reports no total of scrolls',
    scroll({ total: 'missing' }),
    { scrollTotal: { kind: 'missing' }, totalCheck: unclear('no total') },
  ],
  [
    'reports a malformed total',
    scroll({ total: { value: 'many' } }),
    { scrollTotal: { kind: 'malformed' }, totalCheck: unclear('no total') },
  ],
  [
    'reports a total that is too low',
    scroll({ total: { offBy: -5 } }),
    { scrollTotal: reported(115), totalCheck: { kind: 'too-low' } },
  ],
  [
    'reports a total that is too high',
    scroll({ total: { offBy: 5 } }),
    { scrollTotal: reported(125), totalCheck: { kind: 'wrong' } },
  ],
  [
    'caps both totals',
    { search: { total: { cappedAt: 90 } }, scroll: { total: { cappedAt: 90 } } },
    {
      searchTotal: found(90),
      scrollTotal: reported(90),
      totalCheck: { kind: 'too-low' },
      ranges: { kind: 'do-not-add-up' },
    },
  ],
  ['repeats a page for its token', scroll({ tokens: 'positional' }), { tokens: { kind: 'positional' } }],
  [
    'changes the token and moves by any',
    scroll({ tokens: 'changing-cursor' }),
    { tokens: { kind: 'changing-cursor' } },
  ],
  ['refuses a spent token', scroll({ tokens: 'newest-only' }), { tokens: { kind: 'newest-only' } }],
  ['sends the token once', scroll({ tokenHeader: 'first' }), { tokenHeader: { kind: 'first' } }],
  ['sends no token', scroll({ tokenHeader: 'never' }), withoutTokens],
  ['ends with an empty array', scroll({ end: 'brackets' }), { end: { kind: 'brackets' } }],
  ['ends with white space', scroll({ end: 'white-space' }), { end: { kind: 'white-space' } }],
  ['ends with 204', scroll({ end: 'no-content' }), { end: { kind: 'no-content' } }],
  ['ends with null', scroll({ end: 'null' }), { end: { kind: 'null' } }],
  ['ends with an object', scroll({ end: 'object' }), { end: { kind: 'object' } }],
  ['ends with an empty text', scroll({ end: 'text' }), { end: { kind: 'text' } }],
  ['ends with 400', scroll({ end: 'refused' }), { end: refused(400), afterEnd: refused(400) }],
  ['ends with 404', scroll({ end: 'not-found' }), { end: refused(404), afterEnd: refused(404) }],
  ['ends with 410', scroll({ end: 'gone' }), { end: refused(410), afterEnd: refused(410) }],
  ['ends with 416', scroll({ end: 'no-range' }), { end: refused(416), afterEnd: refused(416) }],
  ['forgets a scroll after its end', scroll({ afterEnd: 'expired' }), { afterEnd: refused(400) }],
  ['begins again after the end', scroll({ afterEnd: 'again' }), { afterEnd: { kind: 'again' } }],
  ['caps pages', scroll({ maxPageLength: 20 }), { pageSize: { kind: 'capped', documents: 20 } }],
  ['sends twice the size', scroll({ pageScale: 2 }), { pageSize: { kind: 'multiplied', by: 2 } }],
  ['sends half the size', scroll({ pageScale: 0.5 }), { pageSize: { kind: 'multiplied', by: 0.5 } }],
  [
    'ignores the size',
    scroll({ pageScale: 10, maxPageLength: 10 }),
    { pageSize: { kind: 'ignored', documents: 10 } },
  ],
  [
    'times out for large pages',
    scroll({ timeoutOverSize: 30 }),
    { pageSize: { kind: 'times-out', documents: 13 } },
  ],
  [
    'ignores filters of searches',
    searches({ filter: 'ignored' }),
    { searchFilter: { kind: 'ignored' }, unknownField: { kind: 'ignored' }, ...withoutIndex },
  ],
  [
    'refuses filters of searches',
    searches({ filter: 'refused' }),
    { searchFilter: refused(400), unknownField: refused(400), ...noEnd, ...withoutIndex },
  ],
  ['ignores scroll filters', scroll({ filter: 'ignored' }), { scrollFilter: { kind: 'ignored' }, ...noEnd }],
  ['refuses filters of scrolls', scroll({ filter: 'refused' }), { scrollFilter: refused(400), ...noEnd }],
  ['ignores unknown fields', searches({ unknownField: 'ignored' }), { unknownField: { kind: 'ignored' } }],
  ['refuses unknown fields', searches({ unknownField: 'refused' }), { unknownField: refused(400) }],
  ['indexes seconds', index({ unitMs: 1_000 }), unit('seconds')],
  ['indexes minutes', index({ unitMs: 60_000 }), unit('minutes')],
  [
    'indexes hours',
    index({ unitMs: 3_600_000 }),
    { ...unit('hours'), ...endedBy('documents'), ...fewValues },
  ],
  ['indexes days', index({ unitMs: 86_400_000 }), { ...unit('days'), ...endedBy('documents'), ...fewValues }],
  [
    'indexes seconds and compares them with milliseconds',
    index({ unitMs: 1_000, cutsFilters: false }),
    unit('seconds'),
  ],
  [
    'indexes minutes and compares them with milliseconds',
    index({ unitMs: 60_000, cutsFilters: false }),
    unit('minutes'),
  ],
  ['indexes times 15 minutes early', index({ zoneMinutes: 15 }), shifted(15)],
  ['indexes times 30 minutes late', index({ zoneMinutes: -30 }), { ...shifted(-30), ...endedBy('empty') }],
  [
    'has no createdIn',
    documents(() => null),
    { createdIn: { kind: 'absent' }, ...noEnd, createdInIndex: notTried, ranges: notTried },
  ],
  [
    'has no updatedIn',
    documents(asUtc, () => null),
    { updatedIn: { kind: 'absent' }, updatedInIndex: notTried },
  ],
  [
    'has never updated a document',
    documents(asUtc, () => 'null'),
    { updatedIn: { kind: 'null' }, updatedInIndex: notTried },
  ],
  ['prints times without a zone', documents(withoutZone, withoutZone), printed('local')],
  ['prints times with an offset', documents(inLisbon, inLisbon), printed('offset')],
  [
    'prints times as .NET does',
    documents(ofDotNet),
    { createdIn: { kind: 'other' }, ...noEnd, createdInIndex: notTried, ranges: notTried },
  ],
  [
    'finds no documents without a date',
    {
      ...documents((utc, index) => (index % 9 === 8 ? 'null' : `"${utc}"`)),
      ...index({ findsNulls: false }),
    },
    { ranges: { kind: 'do-not-add-up' } },
  ],
  [
    'imported all documents at once',
    documents(() => '"2020-01-01T09:08:07.006Z"'),
    { ...fewValues, ...endedBy('documents') },
  ],
  ['compresses without being asked to', { responses: { coding: 'gzip' } }, { coding: { kind: 'gzip' } }],
  ['has a cache before it', { responses: { headers: { Age: '3' } } }, { cache: { kind: 'aged' } }],
  ['sets cookies', { responses: { headers: { 'Set-Cookie': 'node=7' } } }, { cookies: { kind: 'set' } }],
  ['sends no Date', { responses: { clockMinutes: 'none' } }, { clock: { kind: 'missing' } }],
  ['has another clock', { responses: { clockMinutes: -30 } }, { clock: { kind: 'differs', minutes: -30 } }],
  ['asks to wait for seconds', waits({ 'Retry-After': '1' }), { retryAfter: { kind: 'seconds' } }],
  [
    'asks to wait until a date',
    waits({ 'Retry-After': 'Sat, 28 Nov 2026 12:00:00 GMT' }),
    { retryAfter: { kind: 'date' } },
  ],
  ['asks to wait without a time', waits({}), { retryAfter: { kind: 'none' } }],
  ['has 12,000 documents', many, { searchTotal: found(12_000), scrollTotal: reported(12_000) }],
  [
    'counts up to 10,000',
    { ...many, search: capped, scroll: capped },
    { ...uncounted, scrollTotal: reported(10_000), totalCheck: unclear('the same totals') },
  ],
  [
    'counts up to 10,000 in searches',
    { ...many, search: capped },
    { ...uncounted, scrollTotal: reported(12_000), totalCheck: unclear('10000 by searches') },
  ],
  ['rejects a wrong key with 403', { rejectStatus: 403 }, { wrongKey: refused(403) }],
]

it.each(variants)(
  'a probe of a platform that %s finds this, and the same again of a stand-in like it',
  async (_, standIn, other) => {
    const facts = await probe({ ...documents(), ...standIn })
    expect(facts).toEqual({ ...usual, ...other })
    const report = JSON.stringify(probeReport('CL', facts))
    const like = platformLike(parseReport(report))
    const again = await probe({ ...like, documents: { CL: like.likeDocuments } })
    expect(JSON.stringify(probeReport('CL', again))).toBe(report)
  },
)

type Match = FaultRule['match']
const strikes = (match: Match, fault: FaultRule['fault'], times = 1): StandIn => ({
  rules: [{ match, fault, times }],
})
const status = (status: number, body = '') => ({ kind: 'status', status, body }) as const
const tooManyScrolls = status(400, '{"Message":"Maximum simultaneous scrolls rate exceeded (10)"}')
const filtered =
  (kind: 'search' | 'scroll', filter = '('): Match =>
  (request) =>
    request.kind === kind && String(request.query.get('_where')).includes(filter)
/** The one that no document matches. */
const onFilter = filtered('search', '1900')
const isWrongKey: Match = ({ headers }) => Object.values(headers).includes('longshore-probe')
const findsNothing = { kind: 'matches', change: noDocuments } as const
const noPageSize = (response: string) => ({ pageSize: unclear(response), totalCheck: notTried }) as const
const waited = { retryAfter: { kind: 'none' } } as const
const noFilter = (searchFilter: ProbeFacts['searchFilter']) => ({ searchFilter, ...withoutIndex })

// A stand-in is as usual where a probe cannot know.
it.each<Variant>([
  ['throttles', strikes(onFilter, status(429), 3), { ...noFilter(unclear('429')), ...waited }],
  ['responds with 425', strikes(onFilter, status(425), 3), noFilter(unclear('425'))],
  ['forbids a request', strikes(onFilter, status(403)), noFilter(refused(403))],
  [
    'has too many scrolls for a moment',
    strikes(onScroll({ scroll: 2 }), tooManyScrolls),
    { ...noPageSize('too many scrolls'), scrollFilter: unclear('too many scrolls'), ...noEnd },
  ],
  [
    'finds nothing with a filter',
    strikes(filtered('search'), findsNothing, 99),
    { ...noFilter(unclear('nothing')), unknownField: unclear('nothing'), ...noEnd },
  ],
  [
    'finds nothing in filtered scrolls',
    strikes(filtered('scroll'), findsNothing, 99),
    { scrollFilter: unclear('nothing'), ...endedBy('empty') },
  ],
  ['is slow for a moment', strikes(onScroll({ scroll: 2 }), status(408)), {}],
  ['resets a connection', strikes(onScroll({ scroll: 2 }), { kind: 'reset' }), noPageSize('interrupted')],
  ['does not open a scroll', strikes(onScroll({ scroll: 4 }), status(404)), endedBy('404')],
  ['refuses a token', strikes(onScroll({ scroll: 4, request: 2 }), status(404)), endedBy('404')],
  [
    'rejects the credentials later',
    strikes(onScroll({ scroll: 3 }), status(401)),
    { scrollFilter: notTried, ...noEnd, ...withoutIndex, wrongKey: notTried },
  ],
  ['throttles a wrong key', strikes(isWrongKey, status(429)), { wrongKey: unclear('429'), ...waited }],
  [
    'sends no token and caps pages',
    scroll({ tokenHeader: 'never', maxPageLength: 20 }),
    { ...withoutTokens, pageSize: unclear('20 of 50') },
  ],
  [
    'finds all times',
    { ...documents(byDays), ...strikes(filtered('search', 'createdIn = '), { kind: 'ignore-filter' }, 99) },
    { createdInIndex: unclear('other documents'), ...fewValues },
  ],
])('a probe of a platform that %s concludes nothing wrong', async (_, standIn, other) => {
  expect(await probe({ ...documents(), ...standIn })).toEqual({ ...usual, ...other })
})

it('a stand-in like a report tells that it has the documents of an earlier start', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'longshore-test-')), 'data')
  const configuration = resolveConfig({ upstream: { baseUrl: 'https://shop.example.com' } })
  const options = { configuration, rules: [], folder, like: platformLike(usual) }
  for (const note of [
    'subscriptions in a group',
    'with documents of an earlier start instead of the report',
  ]) {
    const shop = await startExampleShop(options)
    await shop.close()
    expect(shop.contents.endsWith(note)).toBe(true)
  }
  rmSync(dirname(folder), { recursive: true })
})

describe('a probe', () => {
  const life = (minutes: number, standIn: StandIn = {}, clock = virtualClock()) =>
    probe(
      { ...documents(), ...scroll({ tokenLifeMs: minutes * 60_000 }), now: clock.now, ...standIn },
      { tokenLife: true, clock },
    )

  it.each([
    [20, { kind: 'minutes', atLeast: 19, atMost: 21 }],
    [7, { kind: 'minutes', atLeast: 5, atMost: 10 }],
    [30, { kind: 'minutes', atLeast: 21, atMost: null }],
  ])('finds with --token-life that a token lives for %s minutes', async (minutes, tokenLife) => {
    expect(await life(minutes)).toEqual({ ...usual, tokenLife })
  })

  it('asks for a wrong key last, since it may lock the account', async () => {
    let isLocked = 0
    const match: Match = (request) => isLocked > 0 || (isWrongKey(request) && isLocked++ > 0)
    const facts = await life(7, strikes(match, status(401), 99))
    expect(facts).toEqual({ ...usual, tokenLife: { kind: 'minutes', atLeast: 5, atMost: 10 } })
  })

  it('concludes nothing from a request that the end of the two minutes cuts', async () => {
    const standIn = { ...documents(), ...strikes(onFilter, { kind: 'hang' }) }
    const facts = await probe(standIn, { clock: virtualClock(19_900) })
    expect(facts).toMatchObject({ updatedIn: usual.updatedIn, searchFilter: notTried })
  })

  it('counts requests that are repeated with newer credentials', async () => {
    const given = givenCredentials(localCredentials)
    const credentials = { ...given, renew: () => given.get('documents') }
    let requests = 0
    const everySecond = strikes(() => ++requests % 2 === 1, status(401), 99)
    const facts = await probe({ ...documents(), ...everySecond }, { credentials })
    expect(facts).toMatchObject({ end: usual.end, ranges: notTried })
  })

  it('stops after two minutes, and has tried the first questions', async () => {
    const { clock: _, ...facts } = await probe(documents(), { clock: virtualClock(10_000) })
    const { searchTotal, createdIn, updatedIn, searchFilter, unknownField, tokenHeader, tokens } = usual
    const known = { searchTotal, createdIn, updatedIn, searchFilter, unknownField, tokenHeader, tokens }
    expect(facts).toMatchObject({ ...known, end: notTried, ranges: notTried, wrongKey: notTried })
  })

  it('sends no more than 60 requests to a platform that often fails', async () => {
    const match = () => true
    const rules = [{ match, after: 3, times: 70, fault: { kind: 'status', status: 503 } as const }]
    expect(await probe({ ...documents(), rules })).toMatchObject({
      createdIn: usual.createdIn,
      ranges: notTried,
      retryAfter: { kind: 'none' },
    })
  })

  const ends = { tokens: { kind: 'changing-cursor' }, end: refused(400), afterEnd: refused(400) } as const
  it.each<[number, Partial<ScrollBehaviour>, Partial<ProbeFacts>]>([
    ...[0, 1, 2, 4, 9].map((count): [number, object, object] => [count, {}, {}]),
    [1, { onlyPage: 'without-token' }, {}],
    [4, { tokens: 'changing-cursor', end: 'refused' }, ends],
    [1, { end: 'refused' }, ends],
  ])('concludes nothing wrong from %s documents with %j', async (count, scroll, other) => {
    const facts = await probe({ ...documents(asUtc, asUtc, count), scroll }, { tokenLife: true })
    const right = {
      ...usual,
      ...other,
      tokenLife: { kind: 'minutes', atLeast: 21, atMost: null },
      searchTotal: { ...usual.searchTotal, documents: count },
      scrollTotal: reported(count),
    }
    const concluded = Object.entries(facts).filter(
      ([, { kind }]) => !['unclear', 'not-tried', 'too-few-values'].includes(kind),
    )
    expect(right).toMatchObject(Object.fromEntries(concluded))
  })

  it('concludes nothing wrong while documents are created', async () => {
    const CL = makeDocuments(120, { bytes: 320 })
    const more = makeDocuments(200, { bytes: 320 }).slice(120)
    const match = () => CL.push(...more.splice(0, 1)) < 0
    const facts = await probe({ documents: { CL }, rules: [{ match, fault: { kind: 'reset' } }] })
    const { totalCheck, tokens, pageSize: size, end, createdInIndex, searchFilter } = usual
    expect(facts).toMatchObject({ totalCheck, tokens, pageSize: size, end, createdInIndex, searchFilter })
    expect(['add-up', 'unclear']).toContain(facts.ranges.kind)
  })
})
