import { describe, expect, it } from 'vitest'
import { endMarginMs } from '../../../functions/runtime/client-limits.ts'
import { eraseEntities, erasureDays, isErasure } from '../../../functions/task/erase-entities.ts'
import { timeLimit } from '../../../functions/task/time-limit.ts'

describe('the daily task', () => {
  it('erases the other entities although one fails, reports what it erased, and fails', async () => {
    const logged: unknown[] = []
    const reported: unknown[] = []
    const erasing = eraseEntities(
      (level, message, fields) => void logged.push({ level, message, ...fields }),
      {
        entities: ['AD', 'BK', 'CL'],
        erase: (entity) =>
          entity === 'AD' ? Promise.reject(new Error('Access denied.')) : Promise.resolve(2),
        report: (erased) => void reported.push(erased),
      },
    )
    await expect(erasing).rejects.toThrow('Erasure failed for AD. The log has the reasons.')
    expect(logged).toMatchObject([
      { level: 'ERROR', message: 'erasure failed', entity: 'AD', error: { message: 'Access denied.' } },
    ])
    expect(reported).toEqual([{ entities: 3, versions: 4 }])
  })

  it.each([
    [{ task: 'erase' }, true],
    [{ task: 'compare' }, false],
    [{ entity: 'CL' }, false],
    [undefined, false],
  ])('is what %j asks for: %s', (event, expected) => {
    expect(isErasure(event)).toBe(expected)
  })

  it('needs eraseWithinDays', () => {
    expect(erasureDays(8)).toBe(8)
    expect(() => erasureDays(undefined)).toThrow('Nothing is erased without eraseWithinDays.')
  })
})

it('a task stops in time to end itself', () => {
  let leftMs = endMarginMs + 1
  const check = timeLimit({ getRemainingTimeInMillis: () => leftMs }, () => new Error('Too large.'))
  expect(check).not.toThrow()
  leftMs--
  expect(check).toThrow('Too large.')
})
