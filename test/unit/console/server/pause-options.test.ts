import { expect, it } from 'vitest'
import { pauseOptions } from '../../../../console/server/data/actions.ts'
import { ProblemError } from '../../../../functions/http/result.ts'

it('a pause has what was typed, without the spaces around it', () =>
  expect(pauseOptions({ reason: ' a migration ', until: ' ' })).toEqual({ reason: 'a migration', until: '' }))

it.each([{ reason: 'x' }, { reason: 'x', until: null }, { reason: 'x', until: '', by: 'ana' }, null])(
  'the body %j is refused',
  (body) => {
    expect(() => pauseOptions(body)).toThrow(new ProblemError('invalid-request', 'The body is malformed.'))
  },
)
