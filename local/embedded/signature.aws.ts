import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { SignatureV4, type SignatureV4CryptoInit } from '@smithy/signature-v4'

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
  readonly signedHeaders: string
  readonly signature: string
  /** `20261122T025403Z` */
  readonly time: string
  /** Clients of other services and languages hash the body without sending the hash. */
  readonly payloadHash: string | undefined
  /** Of a presigned URL. */
  readonly lifeSeconds: number
}

/**
 * Why a request is not signed with these keys (Signature Version 4, IAM user guide "Create a signed AWS API request");
 * undefined if it is. The SDK signs it again; the body is represented by the hash in its header.
 */
export async function findSignatureError(
  request: SignedRequest,
  keys: AccessKeys,
  now = Date.now(),
): Promise<string | undefined> {
  const query = new URLSearchParams(request.url.split('?')[1])
  const given = readHeader(request.headers) ?? readPresigned(query)
  const signedAt = Date.parse((given?.time ?? '').replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, '$1-$2-$3:$4:'))
  if (!given || Number.isNaN(signedAt)) return 'The request has no valid signature of Signature Version 4.'
  const { credential, signedHeaders, signature } = given
  if (!credential.startsWith(`${keys.accessKeyId}/`))
    return 'The access key does not belong to this npm start.'
  if (!signedHeaders.split(';').includes('host')) return 'The Host header is not signed.'
  if (given.payloadHash === undefined)
    return 'The header x-amz-content-sha256 is missing, which clients for JavaScript and of S3 send.'
  query.delete('X-Amz-Signature')
  const expected = await signAgain({ ...request, query }, { given, keys, signedAt })
  if (!isSame(expected, `Credential=${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}`))
    return 'The signature does not match.'
  return signedAt + given.lifeSeconds * 1000 >= now ? undefined : 'The presigned URL has expired.'
}

/** The `Authorization` that the SDK gives the same request, without its algorithm. */
async function signAgain(
  { method, url, headers, query }: SignedRequest & { readonly query: URLSearchParams },
  { given, keys, signedAt }: { given: Signature; keys: AccessKeys; signedAt: number },
): Promise<string> {
  const [, , region = '', service = ''] = given.credential.split('/')
  const signer = new SignatureV4({ credentials: keys, region, service, sha256, uriEscapePath: false })
  const names = given.signedHeaders.split(';')
  const signed = {
    method,
    protocol: 'http:',
    hostname: '',
    path: url.split('?')[0] ?? '',
    query: Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
    headers: {
      'x-amz-content-sha256': String(given.payloadHash),
      ...Object.fromEntries(names.map((name) => [name, String(headers[name]).trim()])),
    },
  }
  const result = await signer.sign(signed, {
    signingDate: new Date(signedAt),
    signableHeaders: new Set(names),
    unsignableHeaders: new Set(['x-amz-content-sha256', 'x-amz-date']),
  })
  return String(result.headers['authorization']).replace('AWS4-HMAC-SHA256 ', '')
}

/** A constructor, as the SDK has it for a hash, with a key or without. */
function hash(key?: string | Uint8Array) {
  return key === undefined ? createHash('sha256') : createHmac('sha256', key)
}

const sha256 = hash as unknown as SignatureV4CryptoInit['sha256']

/** `Authorization: AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…` */
function readHeader(headers: IncomingHttpHeaders): Signature | undefined {
  const [, credential, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=(\S+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (!credential || !signedHeaders || !signature) return undefined
  const time = String(headers['x-amz-date'])
  const payloadHash = headers['x-amz-content-sha256']?.toString()
  return { credential, signedHeaders, signature, time, payloadHash, lifeSeconds: Number.POSITIVE_INFINITY }
}

function readPresigned(query: URLSearchParams): Signature | undefined {
  const read = (name: string) => query.get(`X-Amz-${name}`) ?? ''
  const [credential, signedHeaders, signature] = ['Credential', 'SignedHeaders', 'Signature'].map(read)
  const lifeSeconds = Number(read('Expires') || Number.NaN)
  if (!credential || !signedHeaders || !signature || Number.isNaN(lifeSeconds)) return undefined
  const payloadHash = 'UNSIGNED-PAYLOAD'
  return { credential, signedHeaders, signature, time: read('Date'), payloadHash, lifeSeconds }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
