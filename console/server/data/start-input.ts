import * as v from 'valibot'
import { ProblemError } from '../../../functions/http/problem.ts'
import type { SyncInput } from '../../../operator/sync/start.ts'

/** The execution's input for the body of a request, which has no options. Throws `ProblemError` if it is malformed. */
export function startInput(entity: string, body: unknown): SyncInput {
  if (v.is(v.strictObject({}), body)) return { entity }
  throw new ProblemError('invalid-request', 'The body is malformed.')
}
