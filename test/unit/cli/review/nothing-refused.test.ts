import { expect, it } from 'vitest'
import { nothingRefused } from '../../../../cli/review/nothing-refused.ts'
import { failureOf } from '../../../../operator/errors.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const

it.each([
  [
    'refused',
    'The refused snapshot of run r2 is gone: it is kept for 30 days, of the newest seven refused runs, and until a newer run publishes.',
  ],
  [
    'published',
    'Nothing waits for a decision in run r2 of CL: its status is published, and no guard refuses its change set.',
  ],
] as const)('explains why there is nothing to review in a run that is %s', (status, message) => {
  expect(failureOf(nothingRefused({ entity: 'CL', runId: 'r2', status }, target))).toEqual({
    kind: 'problem',
    message,
    fix: 'npx --no-install longshore runs CL --name Shop',
  })
})
