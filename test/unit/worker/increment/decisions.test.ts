import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admit, tooManyChanges } from '../../../../functions/worker/increment/admission.ts'
import { decideWindow, windowFilter } from '../../../../functions/worker/increment/window.ts'
import type { FinishedWindow, FoundIds } from '../../../../functions/worker/increment/window-proof.ts'
import { decideWindowProof } from '../../../../functions/worker/increment/window-proof.ts'
import { decideSlots } from '../../../../stored/slots/slot-decision.ts'
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
  const older = { ...last, snapshot: 'before' }
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
    ['begins at the earlier clock', '07:05:00.250', '07:03:00', undefined, '04:58:00', '07:03:00'],
    ['is never in the future', '05:00:00.400', '05:00:00', undefined, '04:00:00', '05:00:00'],
    ['begins at the snapshot after a full set', '07:05:00.400', '07:06:00', older, '05:00:00', '07:05:01'],
    ['keeps its end after a full set', '06:58:00', '06:58:00', older, '05:00:00', '07:00:00'],
  ])('%s', (...row) => {
    const [, own, platform, before, from, to] = row
    expect(windowOf(own, platform, before)).toMatchObject({
      from: `2026-03-01T${from}Z`,
      to: `2026-03-01T${to}Z`,
    })
  })

  it.each([
    ['since the first one after the snapshot', last, 60, '05:00:00'],
    ['from its own beginning after a full set', older, 30, '05:30:00'],
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

  it('is chosen with clocks that differ by five minutes', () =>
    expect(windowOf('07:05:00', '07:00:00', last)).toMatchObject({ snapshot: 'run' }))

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
    largestPages: 1,
    earlierClean: [],
  }
  const cap = { evidence: 'refused', largestPages: 10 } as const
  const rules = { totals: 'check', totalTolerancePercent: 1 } as const
  const within = { kind: 'proven', proof: 'within-tolerance' }
  const exact = { kind: 'proven', proof: 'exact' }
  const agreed = { kind: 'proven', proof: 'no-total' }
  const unproven = { kind: 'unproven' }

  it.each<[string, Partial<FinishedWindow>, object]>([
    ['as many ids as reported', {}, exact],
    ['as many ids, and an end that is not confirmed', { evidence: 'unconfirmed' }, unproven],
    ['as many ids in full pages, and a refused end', cap, unproven],
    ['the ids of an earlier scroll, and a refused end', { ...cap, earlierClean: [found(1000)] }, within],
    ['as many ids, and a refused end', { ...cap, largestPages: 1 }, exact],
    ['nothing, as reported', { ...found(0), total: 0 }, exact],
    ['as many ids, and a request of unknown outcome', { suspect: true }, unproven],
    ['fewer ids', found(999), unproven],
    ['more ids', found(1001), unproven],
    ['the ids of an earlier scroll', { ...found(999), earlierClean: [found(999)] }, within],
    ['the same ids, more than reported', { ...found(1001), earlierClean: [found(1001)] }, within],
    ['the ids of the last but one', { ...found(999), earlierClean: [found(999), found(1)] }, within],
    ['as many ids as earlier, but others', { ...found(999), earlierClean: [found(999, 7n)] }, unproven],
    ['another number than in the earlier scroll', { ...found(999), earlierClean: [found(998)] }, unproven],
    ['the same ids, outside the tolerance', { ...found(989), earlierClean: [found(989)] }, unproven],
    ['the same ids, a page short', { ...found(999), largestPage: 1, earlierClean: [found(999)] }, unproven],
    ['nothing twice, but some reported', { ...found(0), largestPage: 0, earlierClean: [found(0)] }, unproven],
    ['the same ids, but suspect', { ...found(999), suspect: true, earlierClean: [found(999)] }, unproven],
    ['no total', { total: 'not-reported' }, { kind: 'failed' }],
    ['a malformed total', { total: 'malformed' }, { kind: 'failed' }],
  ])('%s', (_, change, decision) => {
    expect(decideWindowProof({ ...scroll, ...change }, rules)).toMatchObject(decision)
  })

  it.each<[string, Partial<FinishedWindow>, object]>([
    ['is not proven by one scroll', {}, unproven],
    ['is proven by two scrolls that found the same ids', { earlierClean: [found(1000)] }, agreed],
    ['is not proven by two that found other ids', { earlierClean: [found(1000, 7n)] }, unproven],
    ['is not proven by a suspect scroll', { suspect: true, earlierClean: [found(1000)] }, unproven],
    ['is proven by two scrolls that found nothing', { ...found(0), earlierClean: [found(0)] }, agreed],
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

  const comparing = (time: string) => ({ comparing: { runId: 'x', until: `2026-03-01T${time}Z` } })
  const skip = (code: string, reason: RegExp) =>
    expect.objectContaining({
      end: { status: 'skipped', code, reason: expect.stringMatching(reason) as string },
    }) as Error

  it.each([
    ['is given if nothing prevents it', {}],
    ['is given after a comparison', comparing('06:59:59')],
  ])('%s', (_, chain) => expect(admission(chain)).toEqual(snapshot))

  it.each<[string, object, object, Error]>([
    ['waits for a comparison', comparing('07:00:01'), {}, skip('comparing', /being compared/)],
    ['waits for a chain that starts again', { reset: 'Why.' }, {}, skip('chain-resets', /start again/)],
    ['needs the same query', {}, { query: { _where: 'a=1' } }, skip('query-changed', /different query/)],
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
    const take = {
      kind: 'take',
      runId: 'own',
      ranges: [0],
      scrolling: [],
      count: 2,
      now: 10,
      until: 20,
    } as const
    const waiting = [{ runId: 'full', until: 15 }]
    expect(decideSlots({ owners: [], waiting }, { ...take, yields: true }).kind).toBe('refused')
    expect(decideSlots({ owners: [], waiting }, take).kind).toBe('write')
    expect(decideSlots({ owners: [], waiting: [] }, { ...take, yields: true }).kind).toBe('write')
  })
})
