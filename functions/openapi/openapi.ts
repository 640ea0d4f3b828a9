import { openapiRoutes } from '../http/openapi-routes.ts'
import { syncRoutes } from '../http/sync-routes.ts'
import { areas, areasWith } from '../platform/areas.ts'
import { endpointsWith } from '../platform/configured-endpoints.ts'
import type { AuthSettings } from '../runtime/settings.ts'
import { version } from '../runtime/version.ts'
import { proxiedRoute } from './proxied-operations.ts'
import { sharedHeaders } from './response-headers.ts'
import { ownFailures, problemExamples, responseSchemas, sharedResponses } from './responses.ts'
import { changesSchemas } from './schemas/changes-schemas.ts'
import { platformSchemas } from './schemas/platform-schemas.ts'
import { publishedSchemas } from './schemas/published-schemas.ts'
import type { DescribedApi, DescribedRoute, Parameter } from './schemas/schema-parts.ts'
import { andOthers, operationIdOf, parameterRef, text } from './schemas/schema-parts.ts'
import { syncSchemas } from './schemas/sync-schemas.ts'
import { syncRoute } from './sync-operations.ts'

/** The OpenAPI 3.1 document of the API, generated from the tables of routes and problems. */
export function describeApi(api: DescribedApi) {
  const { auth } = api
  const endpoints = endpointsWith(api.endpoints)
  const routes = [
    ...endpoints.map((endpoint) => proxiedRoute(endpoint, api)),
    ...syncRoutes.map((route) => syncRoute(route, api)),
    ...openapiRoutes.map((route) => ownDescription(route, auth.type)),
  ]
  const all = routes.flatMap(({ operation }) => operation.parameters ?? [])
  const shared = new Set(all.filter((parameter, index) => all.indexOf(parameter) < index))
  const paths = pathsOf(routes, shared, auth)
  const isUsed = ([name]: [string, unknown]) =>
    JSON.stringify(paths).includes(`"#/components/responses/${name}"`)
  return {
    openapi: '3.1.1',
    info: {
      title: api.name,
      version,
      description: introduction,
      contact: { name: 'The operator of this API' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The API that serves this document' }],
    tags: [...tags, ...areasWith(api.endpoints).slice(areas.length).map(tagOf)],
    paths,
    components: {
      schemas: {
        ...platformSchemas,
        ...syncSchemas,
        ...publishedSchemas,
        ...changesSchemas,
        ...responseSchemas,
      },
      headers: sharedHeaders(endpoints),
      examples: problemExamples,
      parameters: Object.fromEntries([...shared].map((parameter) => [parameter.name, parameter])),
      responses: Object.fromEntries(Object.entries(sharedResponses).filter(isUsed)),
      securitySchemes: { [auth.type]: securityScheme(auth) },
    },
  }
}

const introduction = `The API proxy for the commerce platform, and the syncs of its data entities.

The platform's paths return the platform's response: its status, its body byte for byte and the headers that are listed here. In responses with status 400 and above, the app key and app token are redacted. Errors that Longshore itself returns are \`application/problem+json\`: \`type\` is stable, and \`detail\` explains what to do. A query parameter that is not listed is rejected.

Every response has the header \`apigw-requestid\`. The operator uses it to find the request in the log.`

const tags = [
  { name: 'logistics', description: 'Docks of the platform' },
  { name: 'subscriptions', description: 'Recurring orders of the platform' },
  { name: 'documents', description: 'Data entities of the platform' },
  { name: 'syncs', description: 'Proven snapshots of data entities' },
  { name: 'openapi', description: 'This document' },
]

const tagOf = (name: string) => ({
  name,
  description: `Endpoints of the configuration, with the credentials of ${name}`,
})

function ownDescription(
  { name, method, path }: (typeof openapiRoutes)[number],
  auth: AuthSettings['type'],
): DescribedRoute {
  return {
    method,
    path,
    operation: {
      operationId: operationIdOf(name),
      tags: ['openapi'],
      summary: 'Read this document',
      description: 'Reads the OpenAPI document of this deployment. Any valid identity or token may read it.',
      responses: {
        '200': {
          description: 'OpenAPI 3.1',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['openapi'],
                properties: { openapi: text('Version of OpenAPI') },
                ...andOthers,
              },
            },
          },
        },
        ...ownFailures(['invalid-request'], auth),
      },
    },
  }
}

function pathsOf(routes: readonly DescribedRoute[], shared: ReadonlySet<Parameter>, auth: AuthSettings) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { method, path, scope, operation } of routes) {
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = {
      ...operation,
      ...(operation.parameters && {
        parameters: operation.parameters.map((one) => (shared.has(one) ? parameterRef(one.name) : one)),
      }),
      ...(auth.type === 'jwt' && { description: withScope(operation.description, scope) }),
      security: [{ [auth.type]: [] }],
    }
  }
  return paths
}

/** Linters know scopes only for OAuth 2 schemes, and API reference pages show none for a bearer scheme. */
const withScope = (description: string, scope: string | undefined) =>
  scope === undefined ? description : `${description} The token needs the scope \`${scope}\`.`

/** API Gateway reads the extension of the IAM scheme; other tools show a header. */
function securityScheme(auth: AuthSettings) {
  if (auth.type === 'iam') {
    return {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      'x-amazon-apigateway-authtype': 'awsSigv4',
      description:
        'AWS Signature Version 4 for the service execute-api. The identity needs execute-api:Invoke on the route.',
    }
  }
  return {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: `A token issued by ${auth.issuer} for the audience ${auth.audience.join(' or ')}, with the scope of the operation.`,
  }
}
