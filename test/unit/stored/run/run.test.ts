import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  activeStatuses,
  endedStatuses,
  hasEnded,
  newRunId,
  runIdOfExecution,
  runIdPattern,
} from '../../../../stored/run/run.ts'

const time = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) })

describe('the id of a run', () => {
  it('contains its time in milliseconds and is unique', () => {
    const now = Date.UTC(2026, 10, 21, 5, 18, 0, 7)
    expect(newRunId(now)).toMatch(/^20261121T051800007Z-[0-9a-f]{12}$/)
    expect(new Set(Array.from({ length: 1000 }, () => newRunId(now))).size).toBe(1000)
  })

  it('sorts by time as text, whether it is random or derived from an execution', () => {
    fc.assert(
      fc.property(time, time, fc.string(), (first, second, id) => {
        const ids = [newRunId(first), runIdOfExecution({ id, startedAt: second })] as const
        expect(ids.every((one) => runIdPattern.test(one))).toBe(true)
        expect(first === second || first < second === ids[0] < ids[1]).toBe(true)
      }),
    )
  })

  it('is always the same for an execution, and different for another one', () => {
    fc.assert(
      fc.property(
        time,
        fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 }),
        (startedAt, [one, other]) => {
          const idOf = (id = '') => runIdOfExecution({ id, startedAt })
          expect(idOf(one)).toBe(idOf(one))
          expect(idOf(one)).not.toBe(idOf(other))
        },
      ),
    )
  })

  it('does not change between releases, so that running executions find their run', () => {
    const execution = { id: 'arn:aws:states:eu-west-1:1:execution:Loop:x', startedAt: Date.UTC(2026, 10, 21) }
    expect(runIdOfExecution(execution)).toBe('20261121T000000000Z-5f97cf026cbc')
  })

  it.each([
    ['20261121T051800007Z-0123456789ab', true],
    ['20261121T051800007Z-0123456789AB', false],
    ['20261121T051800007Z-0123456789ab\n', false],
    ['x20261121T051800007Z-0123456789ab', false],
    ['20261121T051800007Z-0123456789ab/manifest.json', false],
    ['2026-11-21T05:18:00.007Z-0123456789ab', false],
    ['latest', false],
    ['', false],
  ])('%j is one: %s', (text, valid) => expect(runIdPattern.test(text)).toBe(valid))
})

it('every status is active or final', () => {
  expect(endedStatuses.filter((status) => !hasEnded({ status }))).toEqual([])
  expect(activeStatuses.filter((status) => hasEnded({ status }))).toEqual([])
  expect([...activeStatuses, ...endedStatuses].toSorted()).toEqual(
    ['running', 'waiting', 'publishing', 'published', 'refused', 'failed', 'cancelled', 'skipped'].toSorted(),
  )
})
