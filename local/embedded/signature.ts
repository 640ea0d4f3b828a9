import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface AccessKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface SignedRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

interface Signature {
  /** Access key id, then date, region, service and `aws4_request`. */
  readonly credential: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** `20261122T025403Z` */
  readonly time: string
  readonly payloadHash: string
  /** Of a presigned URL. */
  readonly expiresAt: number
}

/**
 * Why a request is not signed with these keys (Signature Version 4, IAM user guide "Create a signed AWS API request");
 * undefined if it is. The signature is that of the SDK: the body is represented by the hash in its header.
 */
export function findSignatureError(
  request: SignedRequest,
  keys: AccessKeys,
  now = Date.now(),
): string | undefined {
  const query = readQuery(request.url)
  const signature = query && (readHeader(request.headers) ?? readPresigned(query))
  if (!query || !signature) return 'The request has no valid signature of Signature Version 4.'
  const [accessKeyId, ...scope] = signature.credential.split('/')
  if (accessKeyId !== keys.accessKeyId) return 'The access key does not belong to this npm start.'
  if (!signature.signedHeaders.includes('host')) return 'The Host header is not signed.'
  const canonical = canonicalRequest(request, { ...signature, query })
  const text = ['AWS4-HMAC-SHA256', signature.time, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<Buffer | string>(
    (secret, part) => hmac(secret, part),
    `AWS4${keys.secretAccessKey}`,
  )
  if (!isSame(hmac(key, text).toString('hex'), signature.signature)) return 'The signature does not match.'
  return signature.expiresAt >= now ? undefined : 'The presigned URL has expired.'
}

function canonicalRequest(
  { method, url, headers }: SignedRequest,
  { query, signedHeaders, payloadHash }: Signature & { readonly query: SignedQuery },
): string {
  const [path = ''] = url.split('?')
  const values = signedHeaders.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}\n`)
  const parameters = query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.map(encode).join('='))
    .toSorted()
  return [method, path, parameters.join('&'), values.join(''), signedHeaders.join(';'), payloadHash].join(
    '\n',
  )
}

/** `Authorization: AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…` */
function readHeader(headers: IncomingHttpHeaders): Signature | undefined {
  const [, credential, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=(\S+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (!credential || !signedHeaders || !signature) return undefined
  return {
    credential,
    signedHeaders: signedHeaders.split(';'),
    signature,
    time: String(headers['x-amz-date']),
    payloadHash: String(headers['x-amz-content-sha256']),
    expiresAt: Number.POSITIVE_INFINITY,
  }
}

function readPresigned(query: SignedQuery): Signature | undefined {
  const parameters = new Map(query)
  const [credential, signedHeaders, signature, time, expires] = [
    'Credential',
    'SignedHeaders',
    'Signature',
    'Date',
    'Expires',
  ].map((name) => parameters.get(`X-Amz-${name}`))
  if (!credential || !signedHeaders || !signature || !time || !expires) return undefined
  const signedAt = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, '$1-$2-$3:$4:'))
  return {
    credential,
    signedHeaders: signedHeaders.split(';'),
    signature,
    time,
    payloadHash: 'UNSIGNED-PAYLOAD',
    expiresAt: signedAt + Number(expires) * 1000,
  }
}

type SignedQuery = readonly (readonly [name: string, value: string])[]

/** Undefined if an escape is malformed. */
function readQuery(url: string): SignedQuery | undefined {
  const [, query = ''] = url.split('?')
  try {
    return query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', value = ''] = pair.split('=').map(decodeURIComponent)
        return [name, value] as const
      })
  } catch {
    return undefined
  }
}

/** RFC 3986: escapes more than encodeURIComponent. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
