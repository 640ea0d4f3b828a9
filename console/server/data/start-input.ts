import * as v from 'valibot'
import { ProblemError } from '../../../functions/http/problem.ts'
import type { SyncInput } from '../../../operator/sync/start.ts'

const schema = v.strictObject({ increment: v.optional(v.literal(true)) })

/** The execution's input for the body of a request. Throws `ProblemError` if it is malformed. */
export function startInput(entity: string, body: unknown): SyncInput {
  if (v.is(schema, body)) return { entity, ...(body.increment && { increment: true }) }
  throw new ProblemError('invalid-request', 'The body is malformed.')
}
