import type { ProblemName } from '../http/problem.ts'
import { accountQuery, type Endpoint } from '../platform/endpoints.ts'
import {
  type DescribedRoute,
  type MediaType,
  operationIdOf,
  type Parameter,
  type Response,
  type Responses,
  schemaRef,
} from './openapi-form.ts'
import {
  accountParameter,
  anySegment,
  headerParameters,
  idempotencyKey,
  queryParameters,
} from './parameters.ts'
import { documentedHeaders } from './response-headers.ts'
import { proxiedFailures } from './responses.ts'
import { platformExamples } from './schemas/platform-schemas.ts'

interface ProxiedDescription {
  readonly summary: string
  readonly description: string
  /** A path value that exists in the stand-in of `npm start`. */
  readonly pathExample?: string
  readonly body?: MediaType
  /** The platform's response with 200; absent where the interface does not show it. */
  readonly response?: MediaType
  /** What a 204 means. */
  readonly noContent?: string
}

const documents = {
  schema: { type: 'array', items: schemaRef('Document') },
  example: platformExamples.documents,
}
const partial =
  'A partial update: the body contains only the parts to change, as application/json or any application/…+json. It is sent to the platform once. Sending it again can add items twice; an Idempotency-Key prevents that.'

/** Descriptions of the endpoints, by name. An endpoint without one gets a generic description. */
const descriptions: Readonly<Record<string, ProxiedDescription>> = {
  'read-dock': {
    summary: 'Read a dock',
    description: 'Reads the configuration of one dock (a fulfilment location).',
    pathExample: 'dock-lisbon',
    response: { schema: schemaRef('Dock'), example: platformExamples.dock },
  },
  'update-subscription-group': {
    summary: 'Update a subscription group',
    description: `${partial} \`item\` is a list.`,
    pathExample: 'group-1',
    body: { schema: schemaRef('SubscriptionGroupPatch'), example: platformExamples.subscriptionGroupPatch },
  },
  'update-subscription': {
    summary: 'Update a subscription',
    description: `${partial} \`item\` is one object.`,
    pathExample: 'subscription-1',
    body: { schema: schemaRef('SubscriptionPatch'), example: platformExamples.subscriptionPatch },
  },
  'search-documents': {
    summary: 'Search documents',
    description:
      'Returns up to 100 documents of the range in REST-Range. Request the next range for the next page. The path may end with a slash. Send `_sort` if you request several ranges, otherwise they may overlap. To read all documents of an entity, use the scroll endpoint.',
    pathExample: 'CL',
    response: documents,
  },
  'scroll-documents': {
    summary: 'Scroll documents',
    description:
      'Returns all documents page by page. The first request may set `_size`; in later ones it is ignored. Each following request sends the token header of the previous response as `_token`, or follows the `Link` header. A token expires after 20 minutes. The scroll ends with 200 and an empty body, 200 and `[]`, or 204, depending on the platform. A request is never sent twice: if a page fails, start a new scroll.',
    pathExample: 'CL',
    response: documents,
    noContent:
      'The end of the scroll. A 200 with an empty body is the end too: it has no documents, no JSON and no `Link`',
  },
}

/** Problems of every proxied request. */
const failures: readonly ProblemName[] = [
  'invalid-request',
  'internal-error',
  'upstream-unreachable',
  'not-found',
  'upstream-interrupted',
  'upstream-redirect',
  'upstream-response-unusable',
  'response-too-large',
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
  settings: {
    readonly headerPrefix: string
    readonly account: string | undefined
    readonly entities: readonly string[]
    readonly auth: 'iam' | 'jwt'
  },
): DescribedRoute {
  const { name, method, path, scope, area, body } = endpoint
  const { summary, description, pathExample, ...media } = descriptions[name] ?? genericDescription(endpoint)
  const example =
    endpoint.pathParameter === 'data_entity' ? (settings.entities[0] ?? pathExample) : pathExample
  const isPatch = method === 'PATCH'
  const headers = documentedHeaders(endpoint, settings.headerPrefix)
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
      parameters: parametersOf(endpoint, { example, account: settings.account }),
      ...(body !== 'none' && {
        requestBody: {
          required: true,
          content: { 'application/json': media.body ?? { schema: { type: 'object' } } },
        },
      }),
      responses: {
        ...successes(media, headers),
        ...proxiedFailures(names, { auth: settings.auth, headers }),
      },
    },
  }
}

function genericDescription({ name, method, path }: Endpoint): ProxiedDescription {
  return { summary: name.replaceAll('-', ' '), description: `Relays ${method} ${path} to the platform.` }
}

function successes(
  { response, noContent }: Pick<ProxiedDescription, 'response' | 'noContent'>,
  headers: NonNullable<Response['headers']>,
): Responses {
  if (!response) {
    return {
      // Some generators do not know ranges of statuses, and would take 200 as `default`, an error.
      '200': { description: "The platform's response", headers, content: anyContent },
      '204': { description: "The platform's response without a body", headers },
      '2XX': { description: "The platform's response", headers, content: anyContent },
    }
  }
  return {
    '200': {
      description: "The platform's response, byte for byte",
      headers,
      content: { 'application/json': response },
    },
    ...(noContent !== undefined && { '204': { description: noContent, headers } }),
  }
}

const anyContent: NonNullable<Response['content']> = {
  'application/json': { schema: {} },
  '*/*': { schema: {} },
}

function parametersOf(
  { pathParameter, query, fieldFilters, requestHeaders, method }: Endpoint,
  { example, account }: { example: string | undefined; account: string | undefined },
): Parameter[] {
  const other = query.filter((name) => name !== accountQuery)
  return [
    anySegment(pathParameter, example),
    ...(account !== undefined || other.length < query.length ? [accountParameter(account)] : []),
    ...queryParameters(other, fieldFilters),
    ...headerParameters(requestHeaders),
    ...(method === 'PATCH' ? [idempotencyKey] : []),
  ]
}
