import type { LambdaResult } from './result.ts'

/** Everything that we refuse or fail ourselves. The names are a promise to callers; a new row is the whole change. */
export const problems = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  'not-found': { status: 404, title: 'There is no such thing here' },
  'sync-running': { status: 409, title: 'A sync of this entity is running already' },
  'run-ended': { status: 409, title: 'The run has ended' },
  'idempotency-key-running': { status: 409, title: 'The first request with this key is still under way' },
  'idempotency-outcome-unknown': { status: 409, title: 'The outcome of the first request is unknown' },
  'unsupported-media-type': { status: 415, title: 'The body is not JSON by its Content-Type' },
  'idempotency-key-reused': { status: 422, title: 'The key belongs to another request' },
  'internal-error': { status: 500, title: 'Longshore failed' },
  'upstream-unreachable': { status: 502, title: 'The platform could not be reached' },
  'upstream-interrupted': {
    status: 502,
    title: 'The connection to the platform broke before its answer was whole',
  },
  'upstream-redirect': { status: 502, title: 'The platform answered with a redirect' },
  'upstream-answer-unusable': { status: 502, title: 'The answer of the platform cannot be passed on' },
  'answer-too-large': { status: 502, title: 'The answer of the platform is too large' },
  'credentials-not-set': { status: 503, title: 'The credentials of the platform are not set yet' },
  'credentials-unreadable': { status: 503, title: 'The credentials of the platform cannot be read' },
  'upstream-timeout': { status: 504, title: 'The platform took too long' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemName = keyof typeof problems

/** Members beside the standard ones (RFC 9457 section 3.2), such as `parameter` or `runId`. */
export type Extensions = Readonly<Record<string, unknown>>

/** The answer for a problem, as RFC 9457 has it. `detail` says what the caller can do. */
export function problem(
  name: ProblemName,
  detail: string,
  extensions: Extensions = {},
): LambdaResult & { headers: Record<string, string>; body: string } {
  const { status, title } = problems[name]
  return {
    statusCode: status,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify({ ...extensions, type: `urn:longshore:problem:${name}`, title, status, detail }),
  }
}

/** For what nobody foresaw: the caller learns no more than where it can be looked up. */
export function ownFault(): ProblemError {
  const detail = 'This is a fault of ours. Whoever runs Longshore finds it in the log under the request id.'
  return new ProblemError('internal-error', detail)
}

/** Thrown where a rule refuses; whoever answers the request turns it into `problem(...)`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly problem: ProblemName
  readonly extensions: Extensions

  constructor(name: ProblemName, detail: string, extensions: Extensions = {}) {
    super(detail)
    this.problem = name
    this.extensions = extensions
  }

  answer() {
    return problem(this.problem, this.message, this.extensions)
  }
}
