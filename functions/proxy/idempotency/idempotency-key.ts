import { createHash } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { type Authorizer, authorizerOf } from '../../http/caller.ts'
import { ProblemError } from '../../http/result.ts'

/** A caller's key for one PATCH, as it is stored: it belongs to its caller, method and path. */
export interface IdempotentRequest {
  readonly id: string
  /** Of query and body, to detect that a key is reused for another request. */
  readonly fingerprint: string
}

/** The part of an event that identifies the request and its caller. */
export type KeyedRequest = Pick<
  APIGatewayProxyEventV2,
  'headers' | 'rawPath' | 'rawQueryString' | 'routeKey'
> & { readonly requestContext: { readonly authorizer?: unknown } }

/** The request's idempotency key, if it has one. Throws `ProblemError` if the key cannot be used. */
export function readIdempotencyKey(event: KeyedRequest, body: Buffer): IdempotentRequest | undefined {
  const header = event.headers['idempotency-key']
  if (header === undefined) return undefined
  const key = parseKey(header)
  const caller = callerOf(authorizerOf(event))
  return {
    id: sha256([...caller, event.routeKey, event.rawPath, key]),
    fingerprint: sha256([event.rawQueryString, body]),
  }
}

/** A structured string (RFC 9651 section 3.3.3), as in draft-ietf-httpapi-idempotency-key-header, or a bare value. */
function parseKey(header: string): string {
  const value = header.trim()
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1]
  const key = quoted?.replaceAll(/\\(["\\])/g, '$1') ?? value
  const isComplete = quoted !== undefined || !value.includes('"')
  if (isComplete && /^[\x20-\x7e]{1,255}$/.test(key)) return key
  return refuse(
    'Idempotency-Key must be 1 to 255 printable ASCII characters, bare or in double quotes, for example a UUID.',
  )
}

function callerOf({ iam, jwt }: Authorizer): readonly string[] {
  if (jwt) {
    const { iss, sub, client_id } = jwt.claims
    if (isName(sub)) return ['jwt', String(iss), 'sub', sub]
    if (isName(client_id)) return ['jwt', String(iss), 'client_id', client_id]
    return refuse(
      'The token has neither a sub nor a client_id claim, so its Idempotency-Key cannot be distinguished from the keys of other callers. Omit it, or use a token with one of these claims.',
    )
  }
  // A program that restarts has another session of its role, and is the same caller.
  return ['iam', iam?.userArn?.replace(/(:assumed-role\/[^/]+)\/.*$/, '$1') ?? '']
}

const isName = (claim: unknown): claim is string => typeof claim === 'string' && claim !== ''

function refuse(detail: string): never {
  throw new ProblemError('invalid-request', detail, { header: 'Idempotency-Key' })
}

/** Hashes each part with its length, so that different lists never give the same hash input. */
function sha256(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest('hex')
}
