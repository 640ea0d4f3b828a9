import { maxResultBytes } from '../../functions/http/result.ts'
import { isObject } from '../../functions/runtime/json-object.ts'

export interface HttpResult {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Buffer
}

export const jsonResult = (value: unknown, status = 200): HttpResult => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
})

/** Headers that API Gateway sets itself, whatever the function returns. */
const ownHeaders = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

/** The HTTP response for a function's result, payload format 2.0. Throws if the result is malformed. */
export function httpResultOf(response: unknown): HttpResult {
  if (Buffer.byteLength(JSON.stringify(response)) > maxResultBytes) {
    throw new Error('The result is larger than Lambda can return.')
  }
  if (!isObject(response) || !('statusCode' in response)) {
    // A value without a status code is a JSON body; a string counts as serialized JSON.
    const text = typeof response === 'string' ? response : JSON.stringify(response)
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) }
  }
  const { statusCode, headers = {}, cookies = [], body = '', isBase64Encoded = false } = response
  const status = Number(statusCode)
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new Error(`${String(statusCode)} is not a status code.`)
  }
  if (!isObject(headers) || !Array.isArray(cookies) || typeof body !== 'string') {
    throw new Error('The result does not match payload format 2.0.')
  }
  const sent: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase()
    if (!ownHeaders.includes(lowerCase)) sent[lowerCase] = String(value)
  }
  if (cookies.length > 0) sent['set-cookie'] = cookies.map(String)
  if (body !== '') sent['content-type'] ??= 'text/plain;charset=UTF-8'
  return { status, headers: sent, body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }
}
