import { describe, expect, it } from 'vitest'
import { retentionText } from '../../../../cli/retention/retention-text.ts'
import { retentionOf } from '../../../../operator/retention/retention.ts'
import { entityNamed } from '../../../entity-named.ts'

const keptOf = (change: object, eraseWithinDays?: number, logRetentionDays = 30) =>
  Object.fromEntries(
    retentionOf(entityNamed('CL', change), { eraseWithinDays, logRetentionDays }).map(({ what, kept }) => [
      what,
      kept,
    ]),
  )

it('is shown as a paragraph for each thing, below what can be promised', () => {
  const kept = { where: 'the bucket', kept: 'for 7 days', why: 'a mistake' }
  expect(
    retentionText(
      'CL',
      [
        { ...kept, what: 'Objects' },
        { ...kept, what: 'Logs' },
      ],
      30,
    ),
  ).toBe(
    `CL: what a document contained is gone from the bucket, old versions included, at most 30 days after the first published snapshot without it.

Objects (the bucket)
  for 7 days
  Reason: a mistake

Logs (the bucket)
  for 7 days
  Reason: a mistake`,
  )
})

describe('what is kept of an entity', () => {
  // What, where, how long, the limit if eraseWithinDays is set, and why.
  const rows = `
    Published snapshot | snapshots/CL/ | until a newer one is published || readers rely on it
    Previous snapshot | snapshots/CL/ | until the next publication | ; at most 27 days after it was replaced | readers may still be reading it
    Older snapshots | snapshots/CL/ | the newest 4, counting these two | ; at most 27 days after their run | keepSnapshots: 4
    Pages of runs that did not publish | snapshots/CL/ | until the next publication | ; at most 27 days after their run | clean-up follows a publication
    Snapshot of the last change set | snapshots/CL/ | until the next change set | ; at most 27 days after its run, or after it was replaced | the next comparison starts from it
    Change sets | changes/CL/ | 12 days, then one more day for issued links | ; at most 27 days after their oldest content was last published | changes.keepDays: 12
    Withheld documents | changes/CL/ | until they reappear or their deletion is proven | ; at most 27 days after they were last published | an unproven absence is not a deletion
    Deleted and overwritten objects | the bucket, as old versions | 7 days | ; never past the limit for the object itself | an object that was deleted by mistake can be restored
    Runs, with hashes of ids | the state table | 30 days after the run; up to 35 days longer in the backups of the table || status, proof and resumption of runs
    Logs, without documents | CloudWatch Logs | 90 days; the access log of the bucket 90 days || investigation of failures`
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))

  it.each([undefined, 30])(
    'follows from its configuration, limited by eraseWithinDays: %j',
    (eraseWithinDays) => {
      const changes = { ignore: [], maxDeletePercent: 10, keepDays: 12 }
      const entity = entityNamed('CL', { keepSnapshots: 4, changes })
      const expected = rows.map(([what, where, kept = '', limit, why]) => ({
        what,
        where,
        kept: eraseWithinDays ? kept + limit : kept,
        why,
      }))
      expect(retentionOf(entity, { eraseWithinDays, logRetentionDays: 90 })).toEqual(expected)
    },
  )

  it.each([
    [2, 'none'],
    [{ last: 3, daily: 30 }, 'the newest 3, counting these two, and the last one of each of 30 days (UTC)'],
    [{ last: 2, daily: 1 }, 'the last one of each of 1 day (UTC)'],
  ])('has the older snapshots of keepSnapshots: %j', (keepSnapshots, kept) => {
    expect(keptOf({ keepSnapshots })).toMatchObject({ 'Older snapshots': kept })
  })

  it('has the older snapshots of days, limited by eraseWithinDays, and why', () => {
    const entity = entityNamed('CL', { keepSnapshots: { last: 2, daily: 5 } })
    expect(retentionOf(entity, { eraseWithinDays: 30, logRetentionDays: 30 })).toContainEqual({
      what: 'Older snapshots',
      where: 'snapshots/CL/',
      kept: 'the last one of each of 5 days (UTC); at most 27 days after their run',
      why: 'keepSnapshots: { last: 2, daily: 5 }',
    })
  })

  it.each([
    [1, '1 day; the access log of the bucket 90 days'],
    [365, '365 days; the access log of the bucket 365 days'],
  ])('has the logs with logRetentionDays: %i', (logRetentionDays, kept) => {
    expect(keptOf({}, undefined, logRetentionDays)).toMatchObject({ 'Logs, without documents': kept })
  })

  it('has nothing of change sets that are off', () => {
    expect(Object.keys(keptOf({ changes: false }))).toEqual([
      'Published snapshot',
      'Previous snapshot',
      'Older snapshots',
      'Pages of runs that did not publish',
      'Deleted and overwritten objects',
      'Runs, with hashes of ids',
      'Logs, without documents',
    ])
  })

  it('is printed below what can be promised', () => {
    const kept = retentionOf(entityNamed('CL'), { eraseWithinDays: 30, logRetentionDays: 30 })
    expect(retentionText('CL', kept, 30)).toMatch(/^CL: what a document contained .* at most 30 days after/)
    expect(retentionText('CL', kept, undefined)).toMatch(/^CL: eraseWithinDays is not set/)
  })
})
