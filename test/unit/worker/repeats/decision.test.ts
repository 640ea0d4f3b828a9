import { describe, expect, it } from 'vitest'
import { type Chain, repeatDueAt } from '../../../../functions/worker/repeats/decision.ts'
import { noProgress } from '../../../../stored/pages/page.ts'
import { newRun, newRunId, type UnpublishedRun } from '../../../../stored/run/run.ts'
import { failed } from '../../../../stored/run/run-changes.ts'
import { entityNamed } from '../../../entity-named.ts'

const minute = 60_000
const start = Date.UTC(2031, 0, 2, 12)
const entity = entityNamed('CL', { schedule: 'cron(0 12 * * ? *)' })

/** A run that the platform's absence ended after ten minutes, unless `change` says otherwise. */
function away(startedAt: number, change: Partial<UnpublishedRun> = {}): UnpublishedRun {
  const runId = newRunId(startedAt)
  const begun = newRun({ runId, entity, acceptShrink: false, execution: 'arn', now: startedAt })
  const why = { reason: 'No connection.', cause: 'platform-away', progress: noProgress } as const
  return { ...failed(begun, { ...why, now: startedAt + 10 * minute }), ...change } as UnpublishedRun
}

const first = away(start)
const second = away(start + 15 * minute)
const third = away(start + 40 * minute)
const fourth = away(start + 110 * minute)
const dueAfter = (minutes: number, run: UnpublishedRun) => Date.parse(run.endedAt) + minutes * minute

describe('a full run that failed', () => {
  it.each<[string, number | undefined, Chain]>([
    ['5 minutes after the first run', dueAfter(5, first), [first]],
    ['15 minutes after the first repeat', dueAfter(15, second), [second, first]],
    ['60 minutes after the second repeat', dueAfter(60, third), [third, second, first]],
    ['not after the third repeat', undefined, [fourth, third, second, first]],
    ['not if the credentials were rejected', undefined, [away(start, { cause: 'credentials' })]],
    ['not if its cause is unknown', undefined, [away(start, { cause: undefined })]],
    ['not if a guard refused it', undefined, [away(start, { status: 'refused' })]],
    ['not if somebody cancelled it', undefined, [away(start, { status: 'cancelled' })]],
  ])('is repeated %s', (_, dueAt, chain) => expect(repeatDueAt(chain, entity)).toBe(dueAt))

  it.each<[string, string, number | undefined]>([
    ['sooner, by a cron expression', 'cron(14 12 * * ? *)', undefined],
    ['at the same time', 'cron(15 12 * * ? *)', dueAfter(5, first)],
    ['later, by a cron expression', 'cron(16 12 * * ? *)', dueAfter(5, first)],
    ['sooner, by a rate that counts from the start of the execution', 'rate(14 minutes)', undefined],
    ['later, by a rate that counts from the start of the execution', 'rate(16 minutes)', dueAfter(5, first)],
  ])('is repeated unless the next start comes before: %s', (_, schedule, dueAt) =>
    expect(repeatDueAt([first], { ...entity, schedule })).toBe(dueAt),
  )

  it('is compared with the start of the execution, not with that of its repeat', () => {
    expect(repeatDueAt([second, first], { ...entity, schedule: 'rate(39 minutes)' })).toBeUndefined()
    expect(repeatDueAt([second, first], { ...entity, schedule: 'rate(41 minutes)' })).toBe(
      dueAfter(15, second),
    )
  })

  it('is not repeated once the entity has no schedule', () =>
    expect(repeatDueAt([first], { ...entity, enabled: false })).toBeUndefined())
})
