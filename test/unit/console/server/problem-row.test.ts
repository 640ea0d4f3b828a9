import { expect, it } from 'vitest'
import { problemRow } from '../../../../console/server/data/problem-row.ts'
import { commandOf } from '../../../../functions/problems/problem.ts'

const problem = {
  kind: 'run-failed',
  level: 'problem',
  entities: ['CL'],
  since: null,
  evidence: 'Why.',
  action: 'Act.',
} as const

const step = { kind: 'logs', runId: '20260301T060000000Z-0123456789ab' } as const
it.each([
  [
    { step, command: commandOf(step) },
    { step, command: `longshore logs ${step.runId}` },
  ],
  [{}, { step: null, command: null }],
])('completes the command line of %j', (found, expected) => {
  expect(problemRow((line) => `longshore ${line}`)({ ...problem, ...found })).toEqual({
    ...problem,
    ...expected,
  })
})
