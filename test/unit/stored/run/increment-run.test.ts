import { expect, it } from 'vitest'
import { delivered, newIncrement, unpublished } from '../../../../stored/run/increment-run.ts'
import { entityNamed } from '../../../entity-named.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const later = '2026-11-21T12:00:05.000Z'
const increment = newIncrement({ runId: 'r', entity: entityNamed('CL'), execution: 'arn:e', now })
const ended = { updatedAt: later, endedAt: later, abandoned: false, rangeProgress: [] }

it('an increment that has delivered records is stored with its window and what its scroll found', () => {
  const window = { from: 'A', to: 'B', records: 3, older: 1, withoutId: 0 }
  const counts = { uniqueIds: 5, pages: 2, total: 6 }
  const found = {
    status: 'published',
    proof: 'exact',
    ...counts,
    manifest: 'key',
    increment: window,
  } as const
  expect(delivered(increment, found, now + 5_000)).toEqual({ ...increment, ...ended, ...found, documents: 5 })
})

it.each(['failed', 'cancelled', 'skipped'] as const)('an increment that was %s has a reason', (status) => {
  const why = { status, reason: 'Why.' }
  const none = { documents: 0, pages: 0, total: undefined }
  expect(unpublished(increment, why, now + 5_000)).toEqual({ ...increment, ...ended, ...why, ...none })
})
