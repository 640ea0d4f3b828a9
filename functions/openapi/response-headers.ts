import { type Endpoint, isConditional, type QueryWarning, warningHeader } from '../platform/endpoints.ts'
import { headerName } from '../platform/headers.ts'
import { type Header, headerRef, type Response } from './schemas/schema-parts.ts'

const header = (description: string): Header => ({ description, schema: { type: 'string' } })

/** References to `components/headers`. OpenAPI describes Content-Type by the content itself. */
export function documentedHeaders(
  endpoint: Endpoint,
  headerPrefix: string,
): NonNullable<Response['headers']> {
  const names = endpoint.responseHeaders.filter((name) => name !== 'content-type')
  const own = [
    warningHeader,
    ...(endpoint.nextPage ? ['link'] : []),
    ...(endpoint.method === 'PATCH' ? ['idempotency-replayed'] : []),
    ...(isConditional(endpoint) ? ['cache-control'] : []),
  ]
  return Object.fromEntries(
    [...names, ...own].map((name) => [headerName(name, headerPrefix), headerRef(componentName(name))]),
  )
}

/** The headers of the table and our own, for `components/headers`. */
export function sharedHeaders(endpoints: readonly Endpoint[]): Readonly<Record<string, Header>> {
  const listed = endpoints
    .flatMap(({ responseHeaders }) => responseHeaders)
    .filter((name) => name !== 'content-type')
    .map((name): [string, Header] => [
      componentName(name),
      headerDescriptions[name] ?? header('Header of the platform'),
    ])
  const warnings = [
    'Present if a cache or a firewall responded instead of the platform.',
    ...endpoints.flatMap(({ warning }) =>
      warning ? [`Present if ${conditionOf(warning)}: ${warning.text}`] : [],
    ),
  ].join(' ')
  const replayed = {
    description: 'Present if this is the stored response to the first request with the same Idempotency-Key',
    schema: { type: 'string', const: 'true' },
  }
  const link = header(
    'URL of the next page, relative to this request: <?_token=…>; rel="next" (RFC 8288). Absent at the end',
  )
  return {
    ...Object.fromEntries(listed),
    [warningHeader]: header(warnings),
    link,
    'idempotency-replayed': replayed,
    ...(endpoints.some(isConditional) && { 'cache-control': header('private, no-cache') }),
  }
}

function conditionOf(warning: QueryWarning): string {
  return 'withoutQuery' in warning
    ? `${warning.withoutQuery} was omitted`
    : `${warning.ignoredQuery} was sent together with ${warning.togetherWith}`
}

/** The name of a component must not contain braces. */
const componentName = (name: string) => name.replace('{prefix}-', '')

/** Descriptions of response headers, by their names in the endpoint table. */
const headerDescriptions: Readonly<Record<string, Header>> = {
  'content-encoding': header(
    "The platform's encoding if the request accepts it; gzip for an uncompressed body of more than 1 KB if the request accepts gzip",
  ),
  etag: header('Version of the response: send it as If-None-Match to ask whether it is still current'),
  'last-modified': header('When the platform changed it, as the platform sent it'),
  'retry-after': header('When to try again, in seconds or as an HTTP date, as the platform sent it'),
  'rest-content-range': header(
    'resources={x}-{y}/{total}. If y is less than total, there are more documents',
  ),
  'rest-content-total': header('Number of matching documents'),
  '{prefix}-md-token': header('Token for the next page; if it is missing, use the previous one again'),
}
