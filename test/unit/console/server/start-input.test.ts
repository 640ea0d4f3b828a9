import { expect, it } from 'vitest'
import { startInput } from '../../../../console/server/data/start-input.ts'
import { ProblemError } from '../../../../functions/http/problem.ts'

it.each([
  [{}, { entity: 'CL' }],
  [{ acceptShrink: false, acceptDeletes: false }, { entity: 'CL' }],
  [{ acceptShrink: true }, { entity: 'CL', acceptShrink: true }],
  [{ acceptDeletes: true }, { entity: 'CL', acceptDeletes: true }],
])('the body %j starts an execution with %j', (body, input) => expect(startInput('CL', body)).toEqual(input))

it.each([{ acceptShrink: 'yes' }, { all: true }, null, undefined])('the body %j is refused', (body) => {
  expect(() => startInput('CL', body)).toThrow(new ProblemError('invalid-request', 'The body is malformed.'))
})
