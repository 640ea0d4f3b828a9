import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { prefersGzip, refusesIdentity } from './accept-encoding.ts'

/** Every error that Longshore itself returns. The names are part of the API: callers' code branches on them. */
export const problems = {
  'invalid-request': { status: 400, title: 'Invalid request' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'sync-running': { status: 409, title: 'A sync of this entity is already running' },
  'not-acceptable': { status: 409, title: 'Nothing can be accepted' },
  'run-ended': { status: 409, title: 'The run cannot be cancelled' },
  'idempotency-key-running': { status: 409, title: 'The first request with this key is still running' },
  'idempotency-outcome-unknown': {
    status: 409,
    title: 'The outcome of the first request with this key is unknown',
  },
  'changes-expired': { status: 410, title: 'The change sets are gone' },
  'unsupported-media-type': { status: 415, title: 'Unsupported Content-Type' },
  'idempotency-key-reused': { status: 422, title: 'The key was used for another request' },
  'internal-error': { status: 500, title: 'Internal error' },
  'upstream-unreachable': { status: 502, title: 'The platform is unreachable' },
  'upstream-interrupted': { status: 502, title: 'The connection to the platform was interrupted' },
  'upstream-redirect': { status: 502, title: 'The platform responded with a redirect' },
  'upstream-response-unusable': { status: 502, title: "The platform's response cannot be relayed" },
  'response-too-large': { status: 502, title: 'The response is too large' },
  'credentials-not-set': { status: 503, title: "The platform's credentials are not set" },
  'credentials-unreadable': { status: 503, title: "The platform's credentials cannot be used" },
  'request-not-sent': { status: 503, title: 'The request was not sent to the platform' },
  'upstream-timeout': { status: 504, title: 'The platform timed out' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemName = keyof typeof problems

/** Members in addition to the standard ones (RFC 9457 section 3.2), such as `parameter` or `runId`. */
export type Extensions = Readonly<Record<string, unknown>>

/** The response for a problem (RFC 9457). `detail` explains what the caller can do. */
export function problemResult(
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

/** Refuses a request for one of its parameters. */
export function refuseParameter(parameter: string, detail: string): never {
  throw new ProblemError('invalid-request', detail, { parameter })
}

/** For unexpected errors: the caller learns only how the operator can find them. */
export function internalError(): ProblemError {
  const detail =
    'This is an error in Longshore. Its operator can find it in the log by the request id (apigw-requestid).'
  return new ProblemError('internal-error', detail)
}

/** Thrown where a rule refuses a request. `problem(...)` makes the response of it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly problem: ProblemName
  readonly extensions: Extensions

  constructor(name: ProblemName, detail: string, extensions: Extensions = {}) {
    super(detail)
    this.problem = name
    this.extensions = extensions
  }

  response() {
    return problemResult(this.problem, this.message, this.extensions)
  }
}

/** The configured entity with this name. Throws `ProblemError`, which names the configured ones, if there is none. */
export function configuredEntity<S extends { readonly name: string }>(
  entities: readonly S[],
  name: string,
): S {
  const entity = entities.find((configured) => configured.name === name)
  if (!entity) throw new ProblemError('not-found', notConfigured(entities, name))
  return entity
}

export function notConfigured(entities: readonly { readonly name: string }[], name: string): string {
  const configured = entities.map((entity) => entity.name).join(', ') || 'none'
  return `The entity '${name}' is not configured. Configured entities: ${configured}.`
}

export type LambdaResult = APIGatewayProxyStructuredResultV2 & { statusCode: number }

/** Maximum size of a serialized response (Lambda quotas: 6 MB for a synchronous invocation, plus 100 bytes). */
export const maxResultBytes = 6_291_556

/** A function's result, with the body as text or base64; undefined if it is too large in both forms. */
export function lambdaResult(
  statusCode: number,
  { headers, body }: Representation,
): LambdaResult | undefined {
  const asText = { statusCode, headers, body: body.toString(), isBase64Encoded: false }
  if (isUtf8(body) && !('content-encoding' in headers) && fits(asText, body)) return asText
  const asBase64 = { statusCode, headers, body: body.toString('base64'), isBase64Encoded: true }
  return fits(asBase64, body) ? asBase64 : undefined
}

/** JSON escapes a byte to at most six bytes, so small bodies need not be serialized to be measured. */
const fits = (result: LambdaResult, body: Buffer): boolean =>
  body.length < 1_000_000 || Buffer.byteLength(JSON.stringify(result)) <= maxResultBytes

/** A body with the headers that describe it, names in lower case. */
export interface Representation {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const gzip = promisify<Buffer, Buffer>(gzipWithCallback)

/** A smaller body fits into one packet, compressed or not. */
const minGzipBytes = 1024

/** The representation that suits a caller: gzip if the body is larger than 1 KB and the caller accepts it. */
export async function compressedFor(
  acceptEncoding: string | undefined,
  { headers, body }: Representation,
): Promise<Representation> {
  const mustCompress = refusesIdentity(acceptEncoding)
  if (body.length === 0 || (body.length <= minGzipBytes && !mustCompress)) return { headers, body }
  const varied = { ...headers, vary: 'accept-encoding' }
  if (!prefersGzip(acceptEncoding)) return { headers: varied, body }
  const compressed = await gzip(body)
  if (compressed.length >= body.length && !mustCompress) return { headers: varied, body }
  return { headers: { ...varied, 'content-encoding': 'gzip' }, body: compressed }
}
