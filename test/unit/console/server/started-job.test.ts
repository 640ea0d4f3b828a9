import { expect, it } from 'vitest'
import { startedJob } from '../../../../console/server/data/actions.ts'
import { ProblemError } from '../../../../functions/http/result.ts'

it('a body without members starts a full sync', () => expect(startedJob({})).toEqual({ kind: 'full' }))

it('a body can ask for an increment', () =>
  expect(startedJob({ increment: true })).toEqual({ kind: 'increment' }))

it.each([{ increment: false }, { acceptShrink: true }, { all: true }, null, undefined])(
  'the body %j is refused',
  (body) => {
    expect(() => startedJob(body)).toThrow(new ProblemError('invalid-request', 'The body is malformed.'))
  },
)
