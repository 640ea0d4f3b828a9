import type { OutboxChange } from '../../../functions/alerts/outbox.ts'
import type { OpenProblem } from '../../../functions/problems/problem-events.ts'

/** An open problem, named by its kind and entity. */
export const open = (change: Partial<OpenProblem> = {}): OpenProblem => {
  const problem = {
    kind: 'run-failed',
    level: 'problem',
    entity: 'CL',
    since: '2026-03-01T05:00:00.000Z',
    evidence: 'The last run of CL failed: 500.',
    action: 'Read the log of the run.',
    command: 'logs r1',
    ...change,
  } as const
  return { id: `${problem.kind}/${problem.entity}/1`, ...problem }
}

export const opened = (problem: OpenProblem, time = '2026-03-01T06:00:00.000Z'): OutboxChange => ({
  event: 'opened',
  time,
  problem,
})

export const resolved = (problem: OpenProblem, time = '2026-03-01T07:05:00.000Z'): OutboxChange => ({
  event: 'resolved',
  time,
  problem,
})
