import * as v from 'valibot'
import { ProblemError } from '../../../functions/http/problem.ts'
import { type SyncInput, syncInput } from '../../../operator/sync/start.ts'

const startBody = v.strictObject({
  acceptShrink: v.optional(v.boolean(), false),
  acceptDeletes: v.optional(v.boolean(), false),
})

/** The execution's input for the body of a request. Throws `ProblemError` if it is malformed. */
export function startInput(entity: string, body: unknown): SyncInput {
  const parsed = v.safeParse(startBody, body)
  if (parsed.success) return syncInput(entity, parsed.output)
  throw new ProblemError('invalid-request', 'The body is malformed.')
}
