import { describe, expect, it } from 'vitest'
import { retentionText } from '../../../../cli/retention/text.ts'
import { retentionOf } from '../../../../operator/retention/retention.ts'
import { entityNamed } from '../../../entity-named.ts'

const keptOf = (change: object, eraseWithinDays?: number, logRetentionDays = 30) =>
  Object.fromEntries(
    retentionOf(entityNamed('CL', change), { eraseWithinDays, logRetentionDays }).map(({ what, kept }) => [
      what,
      kept,
    ]),
  )

describe('what is kept of an entity', () => {
  it('follows from its configuration', () => {
    const changes = { ignore: [], maxDeletePercent: 10, keepDays: 12 }
    expect(keptOf({ keepSnapshots: 4, changes })).toMatchObject({
      'Previous snapshot': 'until the next publication',
      'Older snapshots': 'the newest 4, counting these two',
      'Change sets': '12 days, and one more for links',
      'Deleted and overwritten objects': '7 days',
    })
    expect(keptOf({ keepSnapshots: 2 })).toMatchObject({ 'Older snapshots': 'none' })
    expect(keptOf({ keepSnapshots: { last: 3, daily: 30 } })).toMatchObject({
      'Older snapshots': 'the newest 3, counting these two, and the last one of each of 30 days (UTC)',
    })
    expect(keptOf({ keepSnapshots: { last: 2, daily: 1 } })).toMatchObject({
      'Older snapshots': 'the last one of each of 1 day (UTC)',
    })
    const logs = keptOf({}, undefined, 90)['Logs, without documents']
    expect(logs).toBe('90 days; the access log of the bucket 90 days')
  })

  it('is limited by eraseWithinDays, except for the published snapshot', () => {
    const { 'Published snapshot': published, ...others } = keptOf({}, 30)
    expect(published).toBe('until a newer one is published')
    expect(Object.values(others).filter((kept) => kept.includes('at most 27 days after'))).toHaveLength(6)
  })

  it('has nothing of change sets that are off', () => {
    expect(Object.keys(keptOf({ changes: false })).join()).not.toMatch(/change set|Withheld/i)
  })

  it('is printed below what can be promised', () => {
    const kept = retentionOf(entityNamed('CL'), { eraseWithinDays: 30, logRetentionDays: 30 })
    expect(retentionText('CL', kept, 30)).toMatch(/^CL: what a document contained .* at most 30 days after/)
    expect(retentionText('CL', kept, undefined)).toMatch(/^CL: eraseWithinDays is not set/)
  })
})
