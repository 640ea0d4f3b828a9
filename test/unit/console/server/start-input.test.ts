import { expect, it } from 'vitest'
import { startInput } from '../../../../console/server/data/start-input.ts'
import { ProblemError } from '../../../../functions/http/problem.ts'

it('a body without members starts an execution', () => expect(startInput('CL', {})).toEqual({ entity: 'CL' }))

it('a body can ask for an increment', () =>
  expect(startInput('CL', { increment: true })).toEqual({ entity: 'CL', increment: true }))

it.each([{ increment: false }, { acceptShrink: true }, { all: true }, null, undefined])(
  'the body %j is refused',
  (body) => {
    expect(() => startInput('CL', body)).toThrow(
      new ProblemError('invalid-request', 'The body is malformed.'),
    )
  },
)
