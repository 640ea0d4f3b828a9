import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { region } from './emulator.ts'

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** For temporary credentials. */
  readonly sessionToken?: string
}

export interface Call {
  readonly method: string
  /** Origin of the URL. It does not have to resolve: every call goes to this machine. */
  readonly origin: string
  /** Path and query, exactly as they are sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  /** The credentials to sign with. Without them the call is not signed. */
  readonly sign?: { readonly service: string; readonly credentials: Credentials }
}

export interface CallResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** One HTTPS exchange, optionally signed with AWS Signature Version 4. Rejects without a complete response in 40 s. */
export function call(what: Call): Promise<CallResponse> {
  const body = Buffer.from(what.body ?? '')
  const { host, hostname, port } = new URL(what.origin)
  const headers = { ...what.headers, host, ...(body.length > 0 && { 'content-length': `${body.length}` }) }
  const signed = what.sign ? { ...headers, ...signature(what, { host, body }, what.sign) } : headers
  return new Promise((done, fail) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      servername: /^[\d.]+$/.test(hostname) ? '' : hostname,
      method: what.method,
      path: what.path,
      headers: signed,
      timeout: 40_000,
    })
    sent.once('timeout', () => sent.destroy(new Error(`${what.method} ${what.path} timed out after 40 s.`)))
    sent.once('error', fail)
    sent.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', fail)
      response.once('end', () =>
        done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.end(body)
  })
}

/** Signature Version 4 (IAM user guide, "Create a signed AWS API request"), over host, time and body. */
function signature(
  { method, path }: Call,
  { host, body }: { host: string; body: Buffer },
  { service, credentials }: NonNullable<Call['sign']>,
): Record<string, string> {
  const time = `${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  const date = time.slice(0, 8)
  const bodyHash = sha256(body)
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const token = sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }
  const signedHeaders = { host, 'x-amz-content-sha256': bodyHash, 'x-amz-date': time, ...token }
  const names = Object.keys(signedHeaders).join(';')
  const [rawPath = '', rawQuery = ''] = path.split('?')
  const canonical = [
    method,
    // Every service except S3 encodes the path twice.
    rawPath.split('/').map(encodeStrictly).join('/'),
    canonicalQuery(rawQuery),
    ...Object.entries(signedHeaders).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    bodyHash,
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  )
  const hash = createHmac('sha256', key).update(text).digest('hex')
  return {
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...token,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${hash}`,
  }
}

function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter((pair) => pair !== '')
  const encoded = pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [name, value.join('=')].map((part) => encodeStrictly(decodeURIComponent(part))).join('=')
  })
  return encoded.toSorted().join('&')
}

/** Encodes everything except the unreserved characters of RFC 3986 section 2.3. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex')
}
