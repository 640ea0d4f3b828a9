import { describe, expect, it } from 'vitest'
import { type Candidate, refusalOf } from '../../../functions/publisher/check/guards.ts'
import { type Attempt, decideProof, type ProofRules } from '../../../functions/publisher/check/proof.ts'
import type { SentRequest } from '../../../functions/publisher/check/ranges.ts'
import { filtersBetween, isCovered, requestError } from '../../../functions/publisher/check/ranges.ts'
import { possibleIdFields } from '../../../functions/publisher/possible-id-fields.ts'
import { shrinkLimitsOf } from '../../../stored/run/shrink-limit.ts'

const attempt: Attempt = { uniqueIds: 5000, total: 5000, largestPage: 1000, suspect: false, end: 'confirmed' }
const rules: ProofRules = { tolerancePercent: 1, publishedIds: null, earlier: [] }
const clean = (...counts: number[]) => ({
  earlier: counts.map((uniqueIds) => ({ uniqueIds, suspect: false })),
})
const suspect = (uniqueIds: number) => ({ uniqueIds, suspect: true })
const within = 'within-tolerance'
const noTotal = { total: undefined }

const mayBeMissing =
  'The platform reported 5,000 documents and 4,999 unique ones were received, and a page may be missing.'
const withoutPage = { uniqueIds: 4950, largestPage: 50 }
const refused = { ...noTotal, end: 'refused' } as const

describe('the proof of an attempt', () => {
  it.each<[string, Partial<Attempt>, Partial<ProofRules>, string]>([
    ['all documents', {}, {}, 'exact'],
    ['all documents after an unknown outcome', { suspect: true }, {}, 'exact'],
    ['no documents of 0', { uniqueIds: 0, total: 0, largestPage: 0 }, {}, 'exact'],
    ['all documents and no confirmed end', { end: 'unconfirmed' }, {}, 'did not confirm it'],
    ['one missing', { uniqueIds: 4999 }, {}, within],
    ['one too many', { uniqueIds: 5001 }, {}, within],
    ['one missing after an unknown outcome', { uniqueIds: 4999, suspect: true }, {}, mayBeMissing],
    ['one too many, outcome unknown', { uniqueIds: 5001, suspect: true }, {}, 'a page may be missing'],
    ['just within the tolerance', { uniqueIds: 4950 }, {}, within],
    ['just outside of it', { uniqueIds: 4949 }, {}, 'outside the tolerance of 1%.'],
    ['outside of it, twice', { uniqueIds: 4000 }, clean(4000), 'the total may be wrong'],
    ['no tolerance', { uniqueIds: 4999 }, { tolerancePercent: 0 }, 'outside the tolerance of 0%'],
    ['a page missing', withoutPage, {}, 'a whole page or more is missing'],
    ['less than a page missing', { uniqueIds: 4950, largestPage: 51 }, {}, within],
    ['far off, twice', { uniqueIds: 2500 }, clean(2500), 'outside the tolerance'],
    ['documents of none', { uniqueIds: 1, total: 0, largestPage: 1 }, {}, 'outside the tolerance'],
    ['a page missing, twice', withoutPage, clean(3, 4950), within],
    ['a page missing, another one before', withoutPage, clean(4949), 'a whole page'],
    ['a page missing, as in a suspect attempt', withoutPage, { earlier: [suspect(4950)] }, 'a whole page'],
    ['one missing, end unconfirmed', { uniqueIds: 4999, end: 'unconfirmed' }, {}, 'did not confirm the end'],
    ['that twice', { uniqueIds: 4999, end: 'unconfirmed' }, clean(4999), within],
    ['an end that may be a cap', { end: 'capped' }, {}, 'it may send no more'],
    ['that twice', { end: 'capped' }, clean(5000), within],
    ['that twice without a tolerance', { end: 'capped' }, { ...clean(5000), tolerancePercent: 0 }, within],
    ['that and another number', { end: 'capped' }, clean(4999), 'No other attempt'],
    ['that after an unknown outcome', { end: 'capped', suspect: true }, clean(5000), 'a page may be missing'],
    ['a malformed total', { total: 'malformed' }, clean(5000), 'not a whole number'],
    ['no total', noTotal, {}, 'no-total'],
    ['no total after an unknown outcome', { ...noTotal, suspect: true }, {}, 'no total to compare'],
    ['no total, unconfirmed', { ...noTotal, end: 'unconfirmed' }, {}, 'did not confirm the end after 5,000'],
    ['no total, outcome unknown, twice', { ...noTotal, suspect: true }, clean(5000), 'no total to compare'],
    ['no total, refused, outcome unknown', { ...refused, suspect: true }, clean(5000), 'no total to compare'],
    ['no total, unconfirmed, twice', { ...noTotal, end: 'unconfirmed' }, clean(5000), 'no-total'],
    ['no total, unconfirmed, one off', { ...noTotal, end: 'unconfirmed' }, clean(5001), 'did not confirm'],
    ['no total, refused, nothing published', refused, {}, 'no snapshot is published'],
    ['no total, refused, more published', refused, { publishedIds: 5999 }, 'no-total'],
    ['no total, refused, few published', refused, { publishedIds: 10 }, 'no-total'],
    ['no total, refused, a page more published', refused, { publishedIds: 6000 }, 'snapshot has 6,000'],
    ['no total, refused, nearly twice', refused, clean(1, 5050), 'no-total'],
    ['no total, refused, not nearly twice', refused, clean(5051), 'no other attempt'],
  ])('%s', (_, ...[change, ruled, expected]) => {
    const decision = decideProof({ ...attempt, ...change }, { ...rules, ...ruled })
    const text = decision.kind === 'proven' ? decision.proof : decision.reason
    expect(decision.kind === 'unproven').toBe('reason' in decision)
    const isWhole = decision.kind === 'proven' || expected.endsWith('.')
    expect(isWhole ? text.endsWith(expected) : text.includes(expected)).toBe(true)
  })
})

describe('ranges', () => {
  it('have filters that share their boundaries', () => {
    expect(filtersBetween('createdIn', ['A', 'B', 'C'])).toEqual([
      '(createdIn is null)',
      '(createdIn < A OR createdIn = A)',
      '(createdIn between A AND B)',
      '(createdIn between B AND C)',
      '(createdIn > C OR createdIn = C)',
    ])
    expect(filtersBetween('createdIn', ['A'])).toHaveLength(3)
    expect(filtersBetween('createdIn', [])).toEqual([])
  })

  it.each([
    [{}, true],
    [{ whole: [10, 11] as const }, false],
    [{ whole: [11, 10] as const }, false],
    [{ whole: [11, 11] as const }, false],
    [{ ranges: [5, 8] }, false],
    [{ onBoundaries: [1] }, false],
  ])('cover the whole in %j: %s', (change, expected) => {
    expect(isCovered({ whole: [10, 10], ranges: [5, 7], onBoundaries: [1, 1], ...change })).toBe(expected)
  })

  const path = '/api/dataentities/CL/scroll'
  const twoFilters = { _where: ['a', ' ', 'b'] }
  const own = { _fields: 'id,a', _where: 'a=1', x: ['2', '1'] }
  it.each<[string, string, SentRequest['query'], error?: string | undefined, where?: string]>([
    ['the query', `${path}?_size=50&_fields=id%2Ca&_where=a%3D1&x=2&x=1`, own],
    ['no query', `${path}?_size=50`, {}],
    ['a filter', `${path}?_size=50&_where=(b%20is%20null)`, {}, undefined, '(b is null)'],
    ['both', `${path}?_where=(a=1)+AND+(b=2)&_fields=id,a&x=2&x=1`, own, undefined, '(b=2)'],
    ['two filters of its own', `${path}?_where=(a)+AND+(b)+AND+(c)`, twoFilters, undefined, '(c)'],
    [
      'no filter of the range',
      `${path}?_where=a%3D1`,
      { _where: 'a=1' },
      'had the parameters "_where=a=1"',
      '(b=2)',
    ],
    ['another value', `${path}?_fields=id`, { _fields: 'id,a' }, 'the query of the run has "_fields=id,a"'],
    ['a parameter less', `${path}?_size=5`, { _fields: 'id' }, 'had the parameters none'],
    ['two parameters less', path, { a: '1', b: '2' }, 'has "a=1", "b=2"'],
    ['a blank filter', `${path}?_where=%20`, { _where: ' ' }],
    ['a parameter more', `${path}?y=1`, {}, 'has none'],
    ['another entity', '/api/dataentities/AD/scroll', {}, 'AD/scroll was requested'],
    ['a search', '/api/dataentities/CL/search', {}, "the entity's path is /api/dataentities/CL/scroll"],
  ])('are opened with %s', (_, ...[target, query, error, where]) => {
    const found = requestError({ target, entity: 'CL', query, where })
    expect(error === undefined ? found === undefined : found?.includes(error)).toBe(true)
  })
})

describe('the guards', () => {
  interface Given extends Partial<Omit<Candidate, 'manifest' | 'published' | 'limits'>> {
    readonly maxShrinkPercent?: number
    readonly allowEmpty?: boolean
    readonly uniqueIds?: number
    readonly withoutId?: number
    readonly published?: Partial<NonNullable<Candidate['published']>> | null
  }
  const guard = ({ uniqueIds = 1000, withoutId = 0, published = {}, ...change }: Given) => {
    const { maxShrinkPercent, allowEmpty = false, ...others } = change
    return refusalOf({
      manifest: { entity: 'CL', documents: uniqueIds, uniqueIds, withoutId, idField: 'id' },
      idCandidates: [],
      published: published ? { documents: 1000, uniqueIds: 1000, ...published } : undefined,
      limits: { ...shrinkLimitsOf(maxShrinkPercent), allowEmpty },
      acceptShrink: false,
      ...others,
    })
  }
  const none = { uniqueIds: 0 }
  const empty = { documents: 0, uniqueIds: 0 }
  const noIds = { withoutId: 1000 }
  const fewer = /^699 .*30\.1% fewer than the 1,000 .*limit is 30% \(maxShrinkPercent\)\.$/
  const byDefault = /10\.1% fewer .*limit is 10%, or 30% for up to 10 documents/
  const withNames = { ...noIds, idCandidates: ['_id', 'code'] }
  it.each<[string, Given, string | undefined, RegExp?]>([
    ['as many', {}, undefined],
    ['the first one', { published: null }, undefined],
    ['more', { uniqueIds: 5000 }, undefined],
    ['the first after an empty one', { published: empty }, undefined],
    ['fewer by exactly maxShrinkPercent', { uniqueIds: 700, maxShrinkPercent: 30 }, undefined],
    ['fewer by more', { uniqueIds: 699, maxShrinkPercent: 30 }, 'maxShrinkPercent', fewer],
    ['fewer by more, with acceptShrink', { uniqueIds: 1, acceptShrink: true }, undefined],
    ['one fewer, with a limit of 0', { uniqueIds: 999, maxShrinkPercent: 0 }, 'maxShrinkPercent', /is 0% /],
    ['nearly none, with a limit of 100', { uniqueIds: 1, maxShrinkPercent: 100 }, undefined],
    ['as many without a percentage', { maxShrinkPercent: Number.NaN }, 'maxShrinkPercent'],
    ['fewer by exactly 10% by default', { uniqueIds: 900 }, undefined],
    ['fewer by more than 10% and 10 documents by default', { uniqueIds: 899 }, 'maxShrinkPercent', byDefault],
    ['fewer by 10 and up to 30% by default', { uniqueIds: 25, published: { uniqueIds: 35 } }, undefined],
    ['fewer by 11 and 27%', { uniqueIds: 29, published: { uniqueIds: 40 } }, 'maxShrinkPercent', /27\.5%/],
    ['fewer by 3 and 33%', { uniqueIds: 6, published: { uniqueIds: 9 } }, 'maxShrinkPercent', /33\.3%/],
    ['none', none, 'allowEmpty', /^CL has no documents, and allowEmpty is not set\. To accept this, set it /],
    ['none, the first time', { ...none, published: null }, 'allowEmpty'],
    ['none, with acceptShrink', { ...none, acceptShrink: true }, 'allowEmpty'],
    ['none, with a limit of 100', { ...none, maxShrinkPercent: 100 }, 'allowEmpty'],
    ['none with allowEmpty, at first', { ...none, published: null, allowEmpty: true }, undefined],
    ['none with allowEmpty, after none', { ...none, published: empty, allowEmpty: true }, undefined],
    ['none with allowEmpty, after many', { ...none, allowEmpty: true }, 'maxShrinkPercent', /100\.0%/],
    ['none with allowEmpty and acceptShrink', { ...none, allowEmpty: true, acceptShrink: true }, undefined],
    ['some without an id', { withoutId: 999 }, undefined],
    [
      'all without an id',
      noIds,
      'idField',
      /^In CL, none of 1,000 documents has the field id as .*\. No field of the first page could be the id\.$/,
    ],
    ['all without an id, with names', withNames, 'idField', /Fields that could be the id: _id, code\.$/],
    ['all without an id, first', { ...noIds, published: null }, 'idField'],
    ['all without an id, after none', { ...noIds, published: empty }, 'idField'],
    ['all without an id, as before', { ...noIds, published: { withoutId: 1000 } }, undefined],
    ['all without an id, accepted as smaller', { ...noIds, acceptShrink: true }, 'idField'],
    ['all without an id, and fewer', { uniqueIds: 1, withoutId: 1 }, 'idField'],
  ])('decide on %s', (_, ...[given, key, reason = /\.$/]) => {
    const refusal = guard(given)
    expect(refusal?.key).toBe(key)
    expect(refusal?.reason ?? '.').toMatch(key === undefined ? /^\.$/ : reason)
  })
})

it.each<[string, readonly string[], readonly string[]]>([
  ['with a value for each document', ['{"b":1,"a":"x"}', '{"b":2,"a":"y"}'], ['b', 'a']],
  ['with the likely names first', ['{"a":1,"sku_code":"x","clientId":7}'], ['sku_code', 'clientId', 'a']],
  ['without repeated values', ['{"a":1,"b":1}', '{"a":1,"b":2}'], ['b']],
  ['without what a document lacks', ['{"a":1,"b":1}', '{"b":2}'], ['b']],
  ['without objects, lists, flags and null', ['{"a":{},"b":[],"c":true,"d":null,"e":""}'], []],
  ['without dates', ['{"createdIn":"2026-01-01T00:00:00Z"}'], []],
  ['without names that cannot be shown', ['{"a b":1,"\\u001b":2}'], []],
  ['five at most', ['{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}'], ['a', 'b', 'c', 'd', 'e']],
  ['of no documents', [], []],
])('the fields that could be the id are those %s', (_, lines, expected) => {
  expect(possibleIdFields(lines)).toEqual(expected)
})
