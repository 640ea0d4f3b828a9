import type { ProblemName } from '../http/problem.ts'
import type { Endpoint } from '../platform/endpoints.ts'
import { headerName } from '../platform/headers.ts'
import { proxiedFailures } from './answers.ts'
import {
  type DescribedRoute,
  type Header,
  headerRef,
  type MediaType,
  operationIdOf,
  type Parameter,
  type Response,
  type Responses,
  schemaRef,
} from './openapi-form.ts'
import { anySegment, headerParameters, idempotencyKey, queryParameters } from './parameters.ts'
import { platformExamples } from './platform-schemas.ts'

interface Words {
  readonly summary: string
  readonly description: string
  /** A value for the path that the platform's stand-in of `npm start` knows. */
  readonly pathExample?: string
  readonly body?: MediaType
  /** What the platform answers with 200; left out where the interface does not show it. */
  readonly answer?: MediaType
}

const documents = {
  schema: { type: 'array', items: schemaRef('Document') },
  example: platformExamples.documents,
}
const partial =
  'A partial update: the body need only carry the parts to change. The type application/json or any application/…+json is taken. Sent up once; a repeat that adds items can add them twice, which an Idempotency-Key prevents.'

/** What the table does not say of its entries, by their names. An entry without words is described all the same. */
const words: Readonly<Record<string, Words>> = {
  'read-dock': {
    summary: 'Read a dock',
    description: 'Reads the configuration of one dock (a fulfilment location).',
    pathExample: 'dock-lisbon',
    answer: { schema: schemaRef('Dock'), example: platformExamples.dock },
  },
  'update-subscription-group': {
    summary: 'Update a subscription group',
    description: `${partial} Here \`item\` is a list.`,
    pathExample: 'group-1',
    body: { schema: schemaRef('SubscriptionGroupPatch'), example: platformExamples.subscriptionGroupPatch },
  },
  'update-subscription': {
    summary: 'Update a subscription',
    description: `${partial} Here \`item\` is one object.`,
    pathExample: 'subscription-1',
    body: { schema: schemaRef('SubscriptionPatch'), example: platformExamples.subscriptionPatch },
  },
  'search-documents': {
    summary: 'Search documents',
    description:
      'Lists up to 100 documents by the range in REST-Range. The next page is the next range, which no link can name. Send `_sort` when you ask for several ranges: without it they may overlap. To read all documents of an entity, scroll.',
    pathExample: 'CL',
    answer: documents,
  },
  'scroll-documents': {
    summary: 'Scroll documents',
    description:
      'Lists all documents page by page. The first request may set `_size`; every other sends as `_token` the token header of the answer before, and nothing else sets the page. The same is a link to follow in the header `Link`. A token lives for 20 minutes. The end is an empty body, `[]` or 204. Never sent up twice: if a page fails, start anew.',
    pathExample: 'CL',
    answer: documents,
  },
}

/** Types of the headers that come down, by the table's names. */
const headerWords: Readonly<Record<string, Header>> = {
  'content-encoding': {
    description:
      'As the platform compressed the body; gzip if it did not, the body is over 1 KB and the request accepts it',
    schema: { type: 'string' },
  },
  'retry-after': {
    description: 'When to try again, in seconds or as an HTTP date, as the platform says',
    schema: { type: 'string' },
  },
  'rest-content-range': {
    description: 'resources={x}-{y}/{total}: there is more if y is less than total',
    schema: { type: 'string' },
  },
  'rest-content-total': { description: 'Documents that match', schema: { type: 'string' } },
  '{prefix}-md-token': {
    description: 'The token for the next page; if it is missing, the last one goes on',
    schema: { type: 'string' },
  },
}

/** What every proxied call can fail with. */
const failures: readonly ProblemName[] = [
  'invalid-request',
  'internal-error',
  'upstream-unreachable',
  'upstream-interrupted',
  'upstream-redirect',
  'upstream-answer-unusable',
  'answer-too-large',
  'credentials-not-set',
  'credentials-unreadable',
  'request-not-sent',
  'upstream-timeout',
]
const patchFailures: readonly ProblemName[] = [
  'unsupported-media-type',
  'idempotency-key-running',
  'idempotency-outcome-unknown',
  'idempotency-key-reused',
]

export function proxiedRoute(
  endpoint: Endpoint,
  settings: { readonly headerPrefix: string; readonly auth: 'iam' | 'jwt' },
): DescribedRoute {
  const { name, method, path, scope, area, body } = endpoint
  const { summary, description, pathExample, ...media } = words[name] ?? bareWords(endpoint)
  const isPatch = method === 'PATCH'
  const headers = answerHeaders(endpoint, settings.headerPrefix)
  const names = isPatch ? [...failures, ...patchFailures] : failures
  return {
    method,
    path,
    scope,
    operation: {
      operationId: operationIdOf(name),
      tags: [area],
      summary,
      description,
      parameters: parametersOf(endpoint, pathExample),
      ...(body !== 'none' && {
        requestBody: {
          required: true,
          content: { 'application/json': media.body ?? { schema: { type: 'object' } } },
        },
      }),
      responses: {
        ...successes(media.answer, headers),
        ...proxiedFailures(names, { auth: settings.auth, headers }),
      },
    },
  }
}

function bareWords({ name, method, path }: Endpoint): Words {
  return { summary: name.replaceAll('-', ' '), description: `Relays ${method} ${path} to the platform.` }
}

function successes(answer: MediaType | undefined, headers: NonNullable<Response['headers']>): Responses {
  if (!answer) {
    return {
      '2XX': { description: 'Done. The body is whatever the platform sent', headers, content: anyContent },
    }
  }
  return {
    '200': {
      description: 'The platform has answered. The body is its own, byte for byte',
      headers,
      content: { 'application/json': answer },
    },
  }
}

const anyContent: NonNullable<Response['content']> = { '*/*': { schema: {} } }

function parametersOf(endpoint: Endpoint, pathExample: string | undefined): Parameter[] {
  const { pathParameter, query, fieldFilters, requestHeaders, method } = endpoint
  return [
    anySegment(pathParameter, pathExample),
    ...queryParameters(query, fieldFilters),
    ...headerParameters(requestHeaders),
    ...(method === 'PATCH' ? [idempotencyKey] : []),
  ]
}

/** References into `components/headers`. OpenAPI wants Content-Type told by the content alone. */
function answerHeaders(endpoint: Endpoint, headerPrefix: string): NonNullable<Response['headers']> {
  const names = endpoint.responseHeaders.filter((name) => name !== 'content-type')
  const own = [
    ...(endpoint.warning ? [endpoint.warning.header] : []),
    ...(endpoint.nextPage ? ['link'] : []),
    ...(endpoint.method === 'PATCH' ? ['idempotency-replayed'] : []),
  ]
  return Object.fromEntries(
    [...names, ...own].map((name) => [headerName(name, headerPrefix), headerRef(componentName(name))]),
  )
}

/** The table's headers with their descriptions, and our own, for `components/headers`. */
export function sharedHeaders(endpoints: readonly Endpoint[]): Readonly<Record<string, Header>> {
  const listed = endpoints
    .flatMap(({ responseHeaders }) => responseHeaders)
    .filter((name) => name !== 'content-type')
    .map((name): [string, Header] => [
      componentName(name),
      headerWords[name] ?? { description: "The platform's own header", schema: { type: 'string' } },
    ])
  const warnings = endpoints
    .flatMap(({ warning }) => warning ?? [])
    .map(({ header, text, withoutQuery }): [string, Header] => [
      componentName(header),
      { description: `There if ${withoutQuery} was left out: ${text}`, schema: { type: 'string' } },
    ])
  const replayed = {
    description: 'There if this is the answer to the first request with the same Idempotency-Key',
    schema: { type: 'string', const: 'true' },
  }
  const link = {
    description:
      'The next page, relative to this request: <?_token=…>; rel="next" (RFC 8288). Missing at the end',
    schema: { type: 'string' },
  }
  return { ...Object.fromEntries([...listed, ...warnings]), link, 'idempotency-replayed': replayed }
}

/** A component's name may hold no braces. */
const componentName = (name: string) => name.replace('{prefix}-', '')
