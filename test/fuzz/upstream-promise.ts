import { endpoints } from '../../functions/platform/endpoints.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import type { ReceivedRequest } from '../../local/stand-in/received-request.ts'

/** Headers that the upstream client adds to those that an endpoint lists. */
const ownHeaders = [
  'accept',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'host',
  'user-agent',
  'x-svc-api-appkey',
  'x-svc-api-apptoken',
]

/**
 * How a forwarded request breaks the promise that only the headers and parameters that its endpoint lists are
 * forwarded; undefined if it does not.
 */
export function brokenPromise(request: ReceivedRequest): string | undefined {
  const [path = ''] = request.url.split('?')
  const endpoint = endpoints.find(
    (candidate) =>
      candidate.method === request.method &&
      // The interface restricts no characters of identifiers: an encoded value is one segment.
      new RegExp(`^${candidate.path.replace(/\{[^}]+\}/, "[\\w.~!'()*%-]+")}$`).test(path),
  )
  if (!endpoint) return `${request.method} ${path} is not an endpoint`
  if (/%(2f|5c|3f|23|25|00)|\/\.{1,2}(\/|$)/i.test(path))
    return `the path ${path} has a forbidden character in a value`
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const extra = names.find((name) => ![...ownHeaders, ...endpoint.requestHeaders].includes(name))
  if (extra !== undefined) return `the header ${extra} is not listed`
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `the header ${twice} occurs twice`
  const { headers } = request
  if (
    headers['x-svc-api-appkey'] !== localCredentials.appKey ||
    headers['x-svc-api-apptoken'] !== localCredentials.appToken
  )
    return 'the credentials are not ours'
  if (!headers['user-agent']?.startsWith('Longshore')) return 'the user agent is not ours'
  for (const name of request.query.keys()) {
    const isFilter =
      endpoint.otherQuery === 'fields' && !/^\s*a\s*n\s*$/i.test(name) && !/^(_|x-amz-)/i.test(name)
    if (!isFilter && !endpoint.query.includes(name)) return `the query parameter ${name} is not listed`
  }
  if (endpoint.body === 'none') return request.body.length > 0 ? 'a read has a body' : undefined
  return isObject(request.body) ? undefined : 'the body is not a JSON object'
}

function isObject(body: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(String(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
