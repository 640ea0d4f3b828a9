import { describe, expect, it } from 'vitest'
import {
  AuditCount,
  coveredBy,
  type DeliveredRules,
  isHeld,
  VersionsAfterSet,
} from '../../../../functions/compare/records/delivered-rules.ts'
import { idHashOf } from '../../../../stored/chain/delivered-versions.ts'
import { decidedFrom, protectedAfter } from '../../../../stored/chain/document-dates.ts'

const time = (text: string) => Date.parse(text) * 1000
const covered = { from: time('2026-01-01T10:00:00Z'), to: time('2026-01-01T11:00:00Z') }
const none = { versions: new Map(), windowEnds: new Map() }
const rules: DeliveredRules = { protectedAfter: 0, lookbackMinutes: 60, covered, ...none }

const at = (clock: string) => `2026-01-01T${clock}Z`
const documentOf = (dates: { createdIn?: string | null; updatedIn?: string | null }) =>
  Buffer.from(JSON.stringify({ id: 1, ...dates }))

describe('the audit of a full set', () => {
  it.each([
    ['missed', { createdIn: at('09:00:00'), updatedIn: at('10:00:00') }],
    ['missed', { createdIn: at('09:00:00'), updatedIn: at('11:00:00') }],
    ['missed', { createdIn: at('10:30:00'), updatedIn: null }],
    ['neither', { createdIn: at('10:30:00'), updatedIn: at('11:00:00.000001') }],
    ['neither', { createdIn: at('11:00:00.000001'), updatedIn: null }],
    // The window had it by its creation. Its last update was before, so it did not change since.
    ['neither', { createdIn: at('10:30:00'), updatedIn: at('09:00:00') }],
    ['invisible', { createdIn: at('09:00:00'), updatedIn: at('09:59:59.999999') }],
    ['invisible', { createdIn: at('09:59:59.999999'), updatedIn: null }],
    ['invisible', {}],
  ] as const)('counts as %s what has the dates %j', (expected, dates) => {
    const count = new AuditCount(rules)
    count.add(documentOf(dates))
    expect(count.result()).toEqual({
      missedByIncrements: Number(expected === 'missed'),
      invisibleToIncrements: Number(expected === 'invisible'),
    })
  })

  it('counts nothing if no window has succeeded', () => {
    const count = new AuditCount({ ...rules, covered: undefined })
    count.add(documentOf({}))
    count.add(documentOf({ updatedIn: at('10:30:00') }))
    expect(count.result()).toEqual({ missedByIncrements: 0, invisibleToIncrements: 0 })
  })
})

describe('what windows have covered', () => {
  const window = { from: at('10:30:00'), to: at('11:00:00'), coveredFrom: at('10:00:00'), snapshot: 'run' }

  it('begins with the first window after the snapshot of the chain', () => {
    expect(coveredBy(window, 'run')).toEqual(covered)
  })

  it('is nothing before a window has succeeded, and nothing after another snapshot', () => {
    expect(coveredBy(undefined, 'run')).toBeUndefined()
    expect(coveredBy(window, 'other')).toBeUndefined()
  })
})

describe('a delivered version', () => {
  it.each([
    ['60 minutes', 5, at('09:00:00')],
    ['60 minutes', 60, at('09:00:00')],
    ['the lookback', 90, at('08:30:00')],
  ])('is protected from %s before the snapshot was opened (lookback %i)', (_, lookback, date) => {
    expect(protectedAfter(at('10:00:00'), lookback)).toBe(time(date))
    expect(decidedFrom(time(date), lookback)).toBe('2026-01-01T10:00:00.000Z')
  })

  it.each([
    ['is held', '10:30:00', '10:29:59.999999'],
    ['is replaced', '10:30:00', '10:30:00'],
    ['is replaced', '10:30:00', '10:45:00'],
  ])(
    'that is protected %s if it is of %s and the snapshot has that of %s',
    (expected, delivered, inSnapshot) => {
      const held = isHeld(documentOf({ updatedIn: at(delivered) }), documentOf({ updatedIn: at(inSnapshot) }))
      expect(held).toBe(expected === 'is held')
    },
  )

  it('is replaced if one of the versions has no date', () => {
    const [dated, undated] = [documentOf({ createdIn: at('10:30:00') }), documentOf({})]
    expect(isHeld(dated, undated)).toBe(false)
    expect(isHeld(undated, dated)).toBe(false)
  })

  it('is remembered by its window after a full set has replaced it, whatever the dates of the new version', () => {
    const id = idHashOf('1')
    const known = { content: 'before', date: covered.from, deliveredAt: covered.to }
    const versions = new VersionsAfterSet({ ...rules, versions: new Map([[id, known]]) }, new Set())
    versions.replace('1', documentOf({ createdIn: at('09:00:00'), updatedIn: at('23:00:00') }))
    expect(versions.result().get(id)).toMatchObject({ date: time(at('23:00:00')), deliveredAt: covered.to })
  })
})
