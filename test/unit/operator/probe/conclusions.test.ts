import { describe, expect, it } from 'vitest'
import {
  dateFact,
  filterFact,
  pageSizeFact,
  scrollTotalFact,
  shiftFact,
  tokenFacts,
  tokenLifeFact,
  totalCheckFact,
  transportFacts,
} from '../../../../operator/probe/conclusions.ts'
import type { ProbeOutcome } from '../../../../operator/probe/question.ts'

const documents = (...ids: readonly number[]): ProbeOutcome => ({
  kind: 'documents',
  headers: {},
  documents: ids.map((id) => ({ id })),
})
const nothing: ProbeOutcome = { kind: 'nothing', headers: {}, form: 'brackets' }
const refused: ProbeOutcome = { kind: 'refused', status: 400 }
const none: ProbeOutcome = { kind: 'none', response: 'timeout' }
const unclear = (response: string) => ({ kind: 'unclear', response })

it.each([
  [nothing, 1, { kind: 'honored' }],
  [nothing, 0, unclear('nothing')],
  [documents(1), 0, { kind: 'ignored' }],
  [refused, 0, refused],
  [none, 1, unclear('timeout')],
])('a filter that no document matches: %j, and %s documents without it', (outcome, count, fact) => {
  expect(filterFact(outcome, Array(count))).toEqual(fact)
})

it.each([
  [['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05+00:00'], 'utc'],
  [['2026-01-02T03:04:05-03:00', '2026-01-02 03:04:05-03'], 'offset'],
  [['2026-01-02T03:04:05', '2026-01-02', '2026-01-02 03:04'], 'local'],
  [['2026-07-02T03:04:05+01:00', '2026-01-02T03:04:05+00:00'], 'offset'],
  [['2026-01-02T03:04:05Z', '2026-01-02T03:04:05'], 'other'],
  [['/Date(1767323045000)/'], 'other'],
  [[1767323045], 'other'],
  [[], 'other'],
])('dates printed as %j are %s', (values, kind) => expect(dateFact(values)).toEqual({ kind }))

describe('the tokens of a scroll', () => {
  const usual = { second: [{ id: 2 }], idField: 'id', isWhole: false }
  it.each([
    [['a', 'a'], documents(3), { kind: 'cursor' }],
    [['a', 'b'], documents(2), { kind: 'positional' }],
    [['a', 'b'], documents(3), { kind: 'changing-cursor' }],
    [['a', 'b'], nothing, { kind: 'changing-cursor' }],
    [['a', 'b'], refused, { kind: 'newest-only' }],
    [['a', 'b'], none, unclear('timeout')],
    [['a', 'a'], documents(2), unclear('the same page')],
  ])('%j, and %j for the spent one', (tokens, again, fact) => {
    expect(tokenFacts({ ...usual, tokens, again })).toEqual({ tokenHeader: { kind: 'every' }, tokens: fact })
  })

  it.each([
    [{ tokens: ['a', 'a'], again: nothing }, { kind: 'cursor' }],
    [{ again: documents(2) }, { kind: 'positional' }],
    [{ again: nothing }, unclear('brackets')],
    [{ again: refused }, unclear('400')],
    [{ again: documents(3), idField: 'without ids' }, unclear('the same page')],
  ])('after two pages that are all, and %j', (seen, fact) => {
    expect(tokenFacts({ ...usual, isWhole: true, tokens: ['a', 'b'], ...seen }).tokens).toEqual(fact)
  })

  it('is one if only the first response has it', () => {
    const tokens = ['a', undefined]
    const facts = { tokenHeader: { kind: 'first' }, tokens: { kind: 'cursor' } }
    expect(tokenFacts({ ...usual, tokens, again: documents(3) })).toEqual(facts)
  })
})

it.each([
  [[5, 5], { kind: 'reported', documents: 5, isStable: true }],
  [[5, 6], { kind: 'reported', documents: 6, isStable: false }],
  [[5, 'not-reported'], { kind: 'reported', documents: 5, isStable: false }],
  [['not-reported', 'not-reported'], { kind: 'missing' }],
  [[5, 'malformed'], { kind: 'malformed' }],
] as const)('the totals %j', (totals, fact) => expect(scrollTotalFact(totals)).toEqual(fact))

const total = { kind: 'reported', documents: 5, isStable: true } as const
const above = { ...total, documents: 12_000 }
const beyond = documents(6)
it.each([
  ['equals that of searches', { searches: [5, 5], beyond: nothing }, { kind: 'right' }],
  ['and that of searches may be capped', { searches: [5, 5] }, unclear('the same totals')],
  ['cannot be checked', { searches: [5, 5], beyond: none }, unclear('the same totals')],
  ['is above 10,000', { total: above, searches: [10_000] }, unclear('10000 by searches')],
  [
    'equals all documents, but not the total of searches',
    { searches: [9], received: 5, isAll: true },
    { kind: 'right' },
  ],
  ['is followed by a new document', { searches: [5, 6], beyond }, { kind: 'right' }],
  ['is followed by a document that searches do not count', { searches: [5, 5], beyond }, { kind: 'too-low' }],
  ['is below that of all searches', { searches: [6, 7], beyond }, { kind: 'too-low' }],
  ['is less than a page', { searches: [5], received: 6 }, { kind: 'too-low' }],
  ['is above that of all searches', { searches: [4, 4] }, { kind: 'wrong' }],
  ['changes', { total: { ...total, isStable: false }, searches: [4] }, unclear('nothing to compare')],
  ['is the only one', { beyond }, unclear('nothing to compare')],
  ['is missing', { total: { kind: 'missing' } as const }, unclear('no total')],
])('the total of scrolls %s', (_, seen, fact) => {
  const usual = { total, searches: [], received: 2, isAll: false, beyond: undefined }
  expect(totalCheckFact({ ...usual, ...seen })).toEqual(fact)
})

const honored = { kind: 'honored', documents: 50 }
it.each([
  [{ asked: 50, received: 50, ofTwo: 2, hasMore: true }, honored],
  [{ asked: 50, received: 30, ofTwo: 2, hasMore: false }, honored],
  [{ asked: 50, received: 1, ofTwo: 1, hasMore: false }, unclear('1 of 50')],
  [{ asked: 50, received: 2, ofTwo: 2, hasMore: false }, unclear('2 of 50')],
  [
    { asked: 50, received: 30, ofTwo: 2, hasMore: true },
    { kind: 'capped', documents: 30 },
  ],
  [{ asked: 50, received: 30, ofTwo: 2, hasMore: undefined }, unclear('30 of 50')],
  [
    { asked: 50, received: 10, ofTwo: 10, hasMore: true },
    { kind: 'ignored', documents: 10 },
  ],
  [
    { asked: 50, received: 150, ofTwo: 6, hasMore: true },
    { kind: 'multiplied', by: 3 },
  ],
  [{ asked: 50, received: 40, ofTwo: 10, hasMore: false }, unclear('10 of 2')],
  [{ asked: 50, received: 70, ofTwo: 6, hasMore: true }, unclear('6 of 2')],
  [{ asked: 50, received: 60, ofTwo: 2, hasMore: true }, unclear('60 of 50')],
])('the page sizes %j', (seen, fact) => expect(pageSizeFact(seen)).toEqual(fact))

const minute = 60_000
it.each([
  [179, 181, { kind: 'shifted', minutes: 180 }],
  [-331, -329, { kind: 'shifted', minutes: -330 }],
  // More than one zone, none, and no zone of the earth.
  [170, 200, unclear('other documents')],
  [181, 190, unclear('other documents')],
  [-1, 1, unclear('other documents')],
  [899, 901, unclear('other documents')],
])('documents that are %s and %s minutes away', (before, after, fact) => {
  expect(shiftFact(0, before * minute, after * minute)).toEqual(fact)
})

it.each([
  [[documents(1), documents(1), refused], { kind: 'minutes', atLeast: 10, atMost: 15 }],
  [[documents(1), nothing], unclear('brackets')],
  [[refused], { kind: 'minutes', atLeast: 0, atMost: 5 }],
  [[documents(1), documents(1)], { kind: 'minutes', atLeast: 10, atMost: null }],
  [[documents(1), none], unclear('timeout')],
])('the uses of tokens every five minutes %j', (outcomes, fact) => {
  const uses = outcomes.map((outcome, index) => ({ minutes: 5 * (index + 1), outcome }))
  expect(tokenLifeFact(uses)).toEqual(fact)
})

describe('responses', () => {
  const at = Date.parse('2026-01-02T03:00:00Z')
  const date = { date: 'Fri, 02 Jan 2026 03:04:00 GMT' }
  const usual = { coding: 'none', cache: 'none', cookies: 'none', clock: 'agrees', retryAfter: 'not-seen' }
  it.each([
    [200, date, {}],
    [200, { ...date, 'content-encoding': 'gzip' }, { coding: 'gzip' }],
    [200, { ...date, 'content-encoding': 'br' }, { coding: 'other' }],
    [200, { ...date, 'content-encoding': 'utf-8, identity' }, {}],
    [200, { ...date, age: '0' }, { cache: 'aged' }],
    [200, { ...date, 'set-cookie': ['a=1'] }, { cookies: 'set' }],
    [200, {}, { clock: 'missing' }],
    [429, date, { retryAfter: 'none' }],
    [503, { ...date, 'retry-after': '1.5' }, { retryAfter: 'seconds' }],
    [429, { ...date, 'retry-after': '5s' }, { retryAfter: 'seconds' }],
    [429, { ...date, 'retry-after': '2026-01-02T03:04:05Z' }, { retryAfter: 'date' }],
    [429, { ...date, 'retry-after': date.date }, { retryAfter: 'date' }],
    [429, { ...date, 'retry-after': '1767323045' }, { retryAfter: 'epoch' }],
    [429, { ...date, 'retry-after': 'soon' }, { retryAfter: 'malformed' }],
  ])('with status %s and %j', (status, headers, other) => {
    const facts = transportFacts([{ status, headers, by: undefined, at }])
    const kinds = Object.fromEntries(Object.entries(facts).map(([name, { kind }]) => [name, kind]))
    expect(kinds).toEqual({ ...usual, ...other })
  })

  const late = { status: 200, headers: date, by: undefined, at: at - 30 * minute }
  const cached = { ...late, by: 'cache' } as const
  it.each([
    ['of another clock', [late], { clock: { kind: 'differs', minutes: 34 } }],
    ['of a cache first', [cached, { ...late, at }], { clock: { kind: 'agrees' } }],
    ['of a cache only', [cached], { clock: { kind: 'not-tried' } }],
    ['of a limit', [{ ...late, status: 403, by: 'rate-limit' as const }], { retryAfter: { kind: 'none' } }],
  ])('%s', (_, received, facts) => expect(transportFacts(received)).toMatchObject(facts))
})
