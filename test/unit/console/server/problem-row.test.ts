import { expect, it } from 'vitest'
import { problemRow } from '../../../../console/server/data/problem-row.ts'

const runId = '20260301T060000000Z-0123456789ab'
const problem = {
  kind: 'run-failed',
  level: 'problem',
  entities: ['CL'],
  since: null,
  evidence: 'Why.',
  action: 'Act.',
} as const

it.each([
  [`logs ${runId}`, { command: `longshore logs ${runId}`, runId }],
  ['credentials set', { command: 'longshore credentials set', runId: null }],
  [undefined, { command: null, runId: null }],
])('completes the command line of %j, and links to the run that it is about', (args, expected) => {
  const row = problemRow((line) => `longshore ${line}`)({ ...problem, ...(args && { command: args }) })
  expect(row).toEqual({
    kind: 'run-failed',
    level: 'problem',
    entities: ['CL'],
    since: null,
    evidence: 'Why.',
    action: 'Act.',
    ...expected,
  })
})
