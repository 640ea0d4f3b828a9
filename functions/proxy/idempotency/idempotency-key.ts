import { createHash } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { ProblemError } from '../../http/problem.ts'

/** A caller's key for one PATCH, as it is kept: it belongs to the caller, the method and the path. */
export interface IdempotentRequest {
  readonly id: string
  /** Of query and body: the same key with another request is a mistake of the caller's. */
  readonly fingerprint: string
}

/** What of an event tells whose request this is. */
export type KeyedRequest = Pick<
  APIGatewayProxyEventV2,
  'headers' | 'rawPath' | 'rawQueryString' | 'routeKey'
> & {
  readonly requestContext: { readonly authorizer?: unknown }
}

/** The request's idempotency key, if it has one. Throws `ProblemError` if it is malformed. */
export function readIdempotencyKey(event: KeyedRequest, body: Buffer): IdempotentRequest | undefined {
  const header = event.headers['idempotency-key']
  if (header === undefined) return undefined
  const key = parseKey(header)
  return {
    id: sha256([callerOf(event.requestContext.authorizer), event.routeKey, event.rawPath, key]),
    fingerprint: sha256([event.rawQueryString, body]),
  }
}

/** A structured string (RFC 9651 section 3.3.3), as draft-ietf-httpapi-idempotency-key-header has it, or bare. */
function parseKey(header: string): string {
  const value = header.trim()
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1]
  const key = quoted?.replaceAll(/\\(["\\])/g, '$1') ?? value
  const isBare = quoted !== undefined || !value.includes('"')
  if (isBare && /^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw new ProblemError(
    'invalid-request',
    'Idempotency-Key must be 1 to 255 printable ASCII characters, bare or in double quotes; a UUID is a good one.',
    { header: 'Idempotency-Key' },
  )
}

interface Authorizer {
  readonly iam?: { readonly userArn?: string; readonly userId?: string; readonly accessKey?: string }
  readonly jwt?: { readonly claims?: Readonly<Record<string, unknown>> }
}

/** A program that is restarted comes back as another session of its role, and is the same caller. */
function callerOf(authorizer: unknown): string {
  const { iam, jwt } = (authorizer ?? {}) as Authorizer
  if (jwt?.claims) {
    const { iss, sub, client_id } = jwt.claims
    return `jwt ${String(iss)} ${String(sub ?? client_id)}`
  }
  const arn = iam?.userArn?.replace(/(:assumed-role\/[^/]+)\/.*$/, '$1')
  return `iam ${arn ?? iam?.userId ?? iam?.accessKey ?? 'unknown'}`
}

/** Each part with its length before it, so that no two lists of parts run together into one. */
function sha256(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest('hex')
}
