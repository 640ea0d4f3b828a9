import { expect, it } from 'vitest'
import { nothingRefused } from '../../../../cli/review/find.ts'
import { failureOf } from '../../../../operator/errors.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const

it.each([
  [
    'refused',
    'The refused snapshot of run r2 is gone. Refused snapshots are kept until a newer run publishes, for at most 30 days, and only those of the newest seven refused runs.',
  ],
  [
    'published',
    'Run r2 of CL needs no decision: its status is published, and no guard refused its change set.',
  ],
] as const)('explains why there is nothing to review in a run that is %s', (status, message) => {
  expect(failureOf(nothingRefused({ entity: 'CL', runId: 'r2', status }, target))).toEqual({
    kind: 'problem',
    message,
    fix: 'npx --no-install longshore runs CL --name Shop',
  })
})
