import { expect, it } from 'vitest'
import { actions, nothingEntered } from '../../../../console/client/model/actions.ts'
import { problemAction } from '../../../../console/client/model/problem-texts.ts'
import { commandOf } from '../../../../functions/problems/problem.ts'

const entity = 'CL'

it.each([
  [{ kind: 'sync', entity }, 'start'],
  [{ kind: 'increment', entity }, 'increment'],
  [{ kind: 'resume', entity }, 'resume'],
  [{ kind: 'verify-repair', entity }, 'repair'],
  [{ kind: 'purge', entity }, 'purge'],
] as const)('offers for %j the action %s, which does what the command does', (step, action) => {
  expect(problemAction({ entities: [entity], step })).toBe(action)
  expect(actions[action].args({ entity }, nothingEntered)).toBe(commandOf(step))
})

it.each([
  // After a deployment, or something else that a person has to do first.
  { kind: 'sync-afterwards', entity },
  { kind: 'set-credentials', area: 'all' },
  { kind: 'logs', runId: 'r' },
  null,
] as const)('offers no action for %j', (step) => {
  expect(problemAction({ entities: [entity], step })).toBeUndefined()
})

it('offers no action for several entities', () =>
  expect(problemAction({ entities: ['CL', 'AD'], step: { kind: 'resume', entity } })).toBeUndefined())
