import { expect, it } from 'vitest'
import { nothingRefused } from '../../../../operator/review/refusal.ts'

it.each([
  [
    'refused',
    'The refused snapshot of run r2 is gone. Refused snapshots are kept until a newer run publishes, for at most 30 days, and only those of the newest seven refused runs.',
  ],
  [
    'published',
    'Run r2 of CL needs no decision: its status is published, and no refused change set of it waits for one.',
  ],
] as const)('explains why there is nothing to review in a run that is %s', (status, message) => {
  expect(nothingRefused({ entity: 'CL', runId: 'r2', status })).toBe(message)
})
