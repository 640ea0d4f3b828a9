import { parameterNames } from '../http/path-template.ts'
import { type Endpoint, isConditional } from '../platform/endpoints.ts'
import { accountQuery } from '../platform/query-names.ts'
import {
  accountParameter,
  anySegment,
  configuredParameter,
  headerParameters,
  idempotencyKey,
  otherParameters,
  queryParameters,
} from './parameters.ts'
import { documentedHeaders } from './response-headers.ts'
import { anyContent, proxiedFailures, proxiedRef } from './responses.ts'
import { platformExamples } from './schemas/platform-schemas.ts'
import type {
  DescribedApi,
  DescribedRoute,
  MediaType,
  Parameter,
  Response,
  Responses,
} from './schemas/schema-parts.ts'
import { operationIdOf, schemaRef } from './schemas/schema-parts.ts'

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

export function proxiedRoute(endpoint: Endpoint, { entities, upstream, auth }: DescribedApi): DescribedRoute {
  const { name, method, path, scope, area, body } = endpoint
  const { summary, description, pathExample, ...media } = descriptions[name] ?? genericDescription(endpoint)
  const example = area === 'documents' ? (entities[0]?.name ?? pathExample) : pathExample
  const headers = documentedHeaders(endpoint, upstream.headerPrefix)
  return {
    method,
    path,
    scope,
    operation: {
      operationId: operationIdOf(name),
      tags: [area],
      summary,
      description,
      parameters: parametersOf(endpoint, { example, account: upstream.account }),
      ...(body !== 'none' && {
        requestBody: {
          required: true,
          content: { 'application/json': media.body ?? { schema: { type: 'object' } } },
        },
      }),
      responses: {
        ...successes(media, headers),
        ...(isConditional(endpoint) && { '304': proxiedRef('304') }),
        ...proxiedFailures(method, auth.type),
      },
    },
  }
}

function genericDescription({ path }: Endpoint): ProxiedDescription {
  const description = `Reads ${path} of the platform. The request may be sent several times.`
  return { summary: `Read ${path}`, description }
}

function successes(
  { response, noContent }: Pick<ProxiedDescription, 'response' | 'noContent'>,
  headers: NonNullable<Response['headers']>,
): Responses {
  if (!response) {
    return {
      // Some generators do not know ranges of statuses, and would take 200 as `default`, an error.
      '200': { description: "The platform's response", headers, content: anyContent },
      '204': proxiedRef('204'),
      '2XX': proxiedRef('2XX'),
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

function parametersOf(
  { name, path, query, otherQuery, requestHeaders, method }: Endpoint,
  { example, account }: { example: string | undefined; account: string | undefined },
): Parameter[] {
  const other = query.filter((name) => name !== accountQuery)
  return [
    ...parameterNames(path).map((parameter) => anySegment(parameter, example)),
    ...(account !== undefined || other.length < query.length ? [accountParameter(account)] : []),
    ...(descriptions[name] ? queryParameters(other) : other.map(configuredParameter)),
    ...(otherQuery === 'none' ? [] : [otherParameters[otherQuery]]),
    ...headerParameters(requestHeaders),
    ...(method === 'PATCH' ? [idempotencyKey] : []),
  ]
}
