import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideSlots } from '../../../../functions/state/slots/slot-decision.ts'
import { admit, tooManyChanges } from '../../../../functions/worker/increment/admission.ts'
import { decideWindow, windowFilter } from '../../../../functions/worker/increment/window.ts'
import {
  decideWindowProof,
  type FinishedWindow,
  type FoundIds,
} from '../../../../functions/worker/proof/window-proof.ts'
import { entityNamed } from '../../../entity-named.ts'

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`)
const snapshot = {
  runId: 'run',
  openedAt: '2026-03-01T06:00:00.250Z',
  query: {},
  idField: 'id',
  ignore: ['a', 'b'],
  uniqueIds: 10_000,
}

describe('the window of an increment', () => {
  const last = {
    snapshot: 'run',
    coveredFrom: '2026-03-01T05:00:00Z',
    from: '2026-03-01T06:00:00Z',
    to: '2026-03-01T07:00:00Z',
  }
  type Before = typeof last | undefined
  const windowOf = (
    ...[own, platform, before, lookbackMinutes = 60]: [string, string | undefined, Before, number?]
  ) =>
    decideWindow({
      snapshot,
      last: before,
      lookbackMinutes,
      clocks: { own: at(own), platform: platform === undefined ? undefined : at(platform) },
    })

  it.each([
    ['begins where the last one ended', '07:05:00.400', '07:05:00', last, '06:00:00', '07:05:00'],
    ['ends at the earlier clock', '07:05:00.400', '07:09:00', last, '06:00:00', '07:05:01'],
    ['never moves its end back', '06:58:00', '06:58:00', last, '06:00:00', '07:00:00'],
    ['begins at the snapshot first', '07:05:00.400', '07:06:00', undefined, '05:00:00', '07:05:01'],
    [
      'begins at the snapshot by the platform’s clock if that is earlier',
      '07:05:00.250',
      '07:03:00',
      undefined,
      '04:58:00',
      '07:03:00',
    ],
    [
      'neither begins nor ends in the future if the snapshot was opened by a clock that was ahead',
      '05:00:00.400',
      '05:00:00',
      undefined,
      '04:00:00',
      '05:00:00',
    ],
    [
      'begins at the snapshot again after a full set',
      '07:05:00.400',
      '07:06:00',
      { ...last, snapshot: 'before' },
      '05:00:00',
      '07:05:01',
    ],
    [
      'never moves its end back after a full set either',
      '06:58:00',
      '06:58:00',
      { ...last, snapshot: 'before' },
      '05:00:00',
      '07:00:00',
    ],
  ])('%s', (...row) => {
    const [, own, platform, before, from, to] = row
    expect(windowOf(own, platform, before)).toMatchObject({
      from: `2026-03-01T${from}Z`,
      to: `2026-03-01T${to}Z`,
    })
  })

  it.each([
    ['since the first one after the snapshot', last, 60, '05:00:00'],
    ['from its own beginning after a full set', { ...last, snapshot: 'before' }, 30, '05:30:00'],
    ['from its own beginning if a longer lookback reaches further back', last, 180, '04:00:00'],
  ])('covers everything %s', (...row) => {
    const [, before, lookbackMinutes, coveredFrom] = row
    expect(windowOf('07:05:00', '07:05:00', before, lookbackMinutes)).toMatchObject({
      coveredFrom: `2026-03-01T${coveredFrom}Z`,
    })
  })

  it.each([
    ['without a Date header', '07:00:00', undefined],
    ['with clocks that differ by more than five minutes', '07:05:00.001', '07:00:00'],
  ])('is not chosen %s', (_, own, platform) => {
    expect(() => windowOf(own, platform, last)).toThrow(
      expect.objectContaining({ end: { status: 'failed', reason: expect.any(String) as string } }),
    )
  })

  it('is chosen with clocks that differ by five minutes', () => {
    expect(windowOf('07:05:00', '07:00:00', last)).toMatchObject({ snapshot: 'run' })
  })

  it('leaves no gap after the previous one, whatever the clocks do', () => {
    const clock = fc.integer({ min: 0, max: 4 * 60_000 })
    fc.assert(
      fc.property(fc.array(fc.tuple(clock, clock), { minLength: 1 }), (clocks) => {
        let before: typeof last | undefined = last
        for (const [own, platform] of clocks) {
          const start = at('07:00:00')
          const window = decideWindow({
            snapshot,
            last: before,
            lookbackMinutes: 5,
            clocks: { own: start + own, platform: start + platform },
          })
          expect(window.from < before.to).toBe(true)
          expect(window.to >= before.to).toBe(true)
          expect(window.coveredFrom).toBe(last.coveredFrom)
          before = window
        }
      }),
    )
  })

  it('is a filter that also finds documents that were never updated', () => {
    expect(windowFilter({ from: 'A', to: 'B' })).toBe(
      '((updatedIn between A AND B) OR (createdIn between A AND B))',
    )
  })
})

describe('the proof of an increment', () => {
  const found = (uniqueIds: number, sum = BigInt(uniqueIds)): FoundIds => ({ uniqueIds, sum })
  const scroll: FinishedWindow = {
    ...found(1000),
    total: 1000,
    suspect: false,
    evidence: 'confirmed',
    largestPage: 100,
    earlierClean: [],
  }
  const rules = { totals: 'check', totalTolerancePercent: 1 } as const
  const within = { kind: 'proven', proof: 'within-tolerance' }

  it.each<[string, Partial<FinishedWindow>, object]>([
    ['as many ids as reported', {}, { kind: 'proven', proof: 'exact' }],
    ['as many ids, and an end that is not confirmed', { evidence: 'unconfirmed' }, { kind: 'unproven' }],
    ['nothing, as reported', { ...found(0), total: 0 }, { kind: 'proven', proof: 'exact' }],
    ['as many ids, and a request of unknown outcome', { suspect: true }, { kind: 'unproven' }],
    ['fewer ids', found(999), { kind: 'unproven' }],
    ['more ids', found(1001), { kind: 'unproven' }],
    ['the ids of an earlier scroll', { ...found(999), earlierClean: [found(999)] }, within],
    [
      'the ids of an earlier scroll, more than reported',
      { ...found(1001), earlierClean: [found(1001)] },
      within,
    ],
    [
      'the ids of the scroll before the last',
      { ...found(999), earlierClean: [found(999), found(1)] },
      within,
    ],
    [
      'as many ids as an earlier scroll, but others',
      { ...found(999), earlierClean: [found(999, 7n)] },
      { kind: 'unproven' },
    ],
    [
      'another number than in the earlier scroll',
      { ...found(999), earlierClean: [found(998)] },
      { kind: 'unproven' },
    ],
    [
      'the ids of an earlier scroll, outside the tolerance',
      { ...found(989), earlierClean: [found(989)] },
      { kind: 'unproven' },
    ],
    [
      'the ids of an earlier scroll, short by a page',
      { ...found(999), largestPage: 1, earlierClean: [found(999)] },
      { kind: 'unproven' },
    ],
    [
      'nothing twice, although documents are reported',
      { ...found(0), largestPage: 0, earlierClean: [found(0)] },
      { kind: 'unproven' },
    ],
    [
      'the ids of an earlier scroll with an unknown outcome',
      { ...found(999), suspect: true, earlierClean: [found(999)] },
      { kind: 'unproven' },
    ],
    ['no total', { total: 'not-reported' }, { kind: 'failed' }],
    ['a malformed total', { total: 'malformed' }, { kind: 'failed' }],
  ])('%s', (_, change, decision) => {
    expect(decideWindowProof({ ...scroll, ...change }, rules)).toMatchObject(decision)
  })

  it.each<[string, Partial<FinishedWindow>, object]>([
    ['is not proven by one scroll', {}, { kind: 'unproven' }],
    [
      'is proven by two scrolls that found the same ids',
      { earlierClean: [found(1000)] },
      { kind: 'proven', proof: 'no-total' },
    ],
    [
      'is not proven by two scrolls that found other ids',
      { earlierClean: [found(1000, 7n)] },
      { kind: 'unproven' },
    ],
    [
      'is not proven by a request of unknown outcome',
      { suspect: true, earlierClean: [found(1000)] },
      { kind: 'unproven' },
    ],
    [
      'is proven by two scrolls that found nothing',
      { ...found(0), earlierClean: [found(0)] },
      { kind: 'proven', proof: 'no-total' },
    ],
  ])('%s if totals are ignored', (_, change, decision) => {
    const ignoring = { ...scroll, total: 'not-reported' as const, ...change }
    expect(decideWindowProof(ignoring, { ...rules, totals: 'ignore' })).toMatchObject(decision)
  })
})

describe('the admission of an increment', () => {
  const entity = entityNamed('CL', { changes: { ignore: ['b', 'a'], maxDeletePercent: 10, keepDays: 30 } })
  const now = at('07:00:00')
  const admission = (chain: object, change: object = {}) =>
    admit({ reset: null, ...chain }, snapshot, { entity: { ...entity, ...change }, now })

  const skip = (code: string, reason: RegExp) =>
    expect.objectContaining({
      end: { status: 'skipped', code, reason: expect.stringMatching(reason) as string },
    }) as Error

  it.each([
    ['is given if nothing prevents it', {}],
    ['is given after a comparison', { comparing: { runId: 'x', until: '2026-03-01T06:59:59Z' } }],
  ])('%s', (_, chain) => {
    expect(admission(chain)).toEqual(snapshot)
  })

  it.each<[string, object, object, Error]>([
    [
      'waits for a comparison',
      { comparing: { runId: 'x', until: '2026-03-01T07:00:01Z' } },
      {},
      skip('comparing', /being compared/),
    ],
    ['waits for a chain that starts again', { reset: 'Why.' }, {}, skip('chain-resets', /start again/)],
    [
      'needs the same query',
      {},
      { query: { _where: 'a=1' } },
      skip('query-changed', /a different query from/),
    ],
    ['needs the same id', {}, { idField: 'email' }, skip('id-field-changed', /a different idField from/)],
    ['needs change sets', {}, { changes: false }, skip('changes-off', /turned off/)],
    [
      'needs the same ignored fields',
      {},
      { changes: { ignore: [], maxDeletePercent: 1, keepDays: 1 } },
      skip('ignore-changed', /a different changes.ignore from/),
    ],
  ])('%s', (...row) => {
    const [, chain, change, expected] = row
    expect(() => admission(chain, change)).toThrow(expected)
  })

  it("needs the chain's snapshot", () => {
    const admitted = () => admit({ reset: null }, undefined, { entity, now })
    expect(admitted).toThrow(skip('snapshot-gone', /snapshot is gone/))
  })

  it.each([
    [1_000, 10, undefined],
    [1_001, 5_005, undefined],
    [1_001, 5_004, /20%/],
  ])('%d changes of %d documents', (total, uniqueIds, reason) => {
    expect(tooManyChanges(total, { uniqueIds }) ?? '').toMatch(reason ?? /^$/)
  })
})

describe('the slot of an increment', () => {
  it('is not taken while a run waits for its first one', () => {
    const take = { kind: 'take', runId: 'own', ranges: [0], count: 2, now: 10, until: 20 } as const
    const waiting = [{ runId: 'full', until: 15 }]
    expect(decideSlots({ owners: [], waiting }, { ...take, yields: true }).kind).toBe('refused')
    expect(decideSlots({ owners: [], waiting }, take).kind).toBe('write')
    expect(decideSlots({ owners: [], waiting: [] }, { ...take, yields: true }).kind).toBe('write')
  })
})
