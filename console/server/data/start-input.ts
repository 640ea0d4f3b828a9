import * as v from 'valibot'
import { ProblemError } from '../../../functions/http/problem.ts'
import type { StartedJob } from '../../../functions/state/run/job.ts'

const schema = v.strictObject({ increment: v.optional(v.literal(true)) })

/** What the body of a request starts. Throws `ProblemError` if it is malformed. */
export function startedJob(body: unknown): StartedJob {
  if (!v.is(schema, body)) throw new ProblemError('invalid-request', 'The body is malformed.')
  return body.increment ? { kind: 'increment' } : { kind: 'full', acceptShrink: false, acceptDeletes: false }
}
