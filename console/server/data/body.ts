import * as v from 'valibot'
import { ProblemError } from '../../../functions/http/result.ts'

/** The body of a request. Throws `ProblemError` if it is malformed. */
export function bodyOf<T>(schema: v.GenericSchema<T>, body: unknown): T {
  if (v.is(schema, body)) return body
  throw new ProblemError('invalid-request', 'The body is malformed.')
}
