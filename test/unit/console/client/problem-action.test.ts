import { expect, it } from 'vitest'
import { problemAction } from '../../../../console/client/model/problem-texts.ts'

it.each([
  ['sync CL --watch', 'start'],
  ['sync CL --increment --watch', 'increment'],
  ['resume CL', 'resume'],
  ['verify CL --repair', 'repair'],
  ['purge CL', 'purge'],
  // Another entity's, and what only the command line does.
  ['purge CL2', undefined],
  ['sync CL2 --watch', undefined],
  ['sync --all', undefined],
  ['credentials set', undefined],
  ['verify CL', undefined],
])('offers for the command %j the action %s', (args, action) => {
  for (const command of [`npx longshore ${args}`, `longshore ${args} --config a.json`]) {
    expect(problemAction({ entities: ['CL'], command })).toBe(action)
  }
})

it('offers no action without a command', () => {
  expect(problemAction({ entities: ['CL'], command: null })).toBeUndefined()
})
