import { endpoints } from '../platform/endpoints.ts'
import type { AuthSettings } from '../runtime/settings.ts'
import { syncRoutes } from '../sync-api/routes.ts'
import { answerSchemas, ownFailures, problemExamples, sharedResponses } from './answers.ts'
import { type DescribedRoute, operationIdOf } from './openapi-form.ts'
import { platformSchemas } from './platform-schemas.ts'
import { proxiedRoute, sharedHeaders } from './proxied-operations.ts'
import { openapiRoutes } from './routes.ts'
import { syncRoute } from './sync-operations.ts'
import { syncSchemas } from './sync-schemas.ts'

/** What of a deployment shows in its description. */
export interface DescribedApi {
  readonly name: string
  readonly headerPrefix: string
  /** Names of the configured entities. */
  readonly entities: readonly string[]
  readonly auth: AuthSettings
}

/** The OpenAPI 3.1 document of the whole API, made from the tables of its routes and problems. */
export function describeApi({ name, headerPrefix, entities, auth }: DescribedApi) {
  const routes = [
    ...endpoints.map((endpoint) => proxiedRoute(endpoint, { headerPrefix, auth: auth.type })),
    ...syncRoutes.map((route) => syncRoute(route, { entities, auth: auth.type })),
    ...openapiRoutes.map((route) => ownDescription(route, auth.type)),
  ]
  return {
    openapi: '3.1.1',
    info: { title: name, version: '1.0.0', description: introduction },
    servers: [{ url: '/', description: 'Where this description came from' }],
    tags,
    paths: pathsOf(routes, auth),
    components: {
      schemas: { ...platformSchemas, ...syncSchemas, ...answerSchemas },
      headers: sharedHeaders(endpoints),
      examples: problemExamples,
      responses: Object.fromEntries(
        Object.entries(sharedResponses).filter(([name]) => auth.type === 'jwt' || name !== 'Unauthorized'),
      ),
      securitySchemes: { [auth.type]: securityScheme(auth) },
    },
  }
}

const introduction = `The front door to the commerce platform, and the syncs of its data entities.

At the platform's own paths the answer is the platform's: its status, its body byte for byte, and the headers listed here. What Longshore refuses or fails itself is \`application/problem+json\` with a stable \`type\`, and its \`detail\` says what to do. A query parameter that is not listed is refused.

Every answer has an \`apigw-requestid\`, by which whoever runs Longshore finds the request in the log.`

const tags = [
  { name: 'logistics', description: 'Docks of the platform' },
  { name: 'subscriptions', description: 'Recurring orders of the platform' },
  { name: 'documents', description: 'Data entities of the platform' },
  { name: 'syncs', description: 'Proven copies of data entities' },
  { name: 'description', description: 'This document' },
]

function ownDescription(
  { name, method, path }: (typeof openapiRoutes)[number],
  auth: AuthSettings['type'],
): DescribedRoute {
  return {
    method,
    path,
    operation: {
      operationId: operationIdOf(name),
      tags: ['description'],
      summary: 'Read this description',
      responses: {
        '200': {
          description: 'OpenAPI 3.1',
          content: { 'application/json': { schema: { type: 'object', required: ['openapi'] } } },
        },
        ...ownFailures([], auth),
      },
    },
  }
}

function pathsOf(routes: readonly DescribedRoute[], auth: AuthSettings) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { method, path, scope, operation } of routes) {
    // OpenAPI 3.1 lets a bearer scheme's requirement name the roles that are needed.
    const scopes = auth.type === 'jwt' && scope !== undefined ? [scope] : []
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = { ...operation, security: [{ [auth.type]: scopes }] }
  }
  return paths
}

/** API Gateway's import knows the first by its extension; other readers show it as a header. */
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
    description: `A token of ${auth.issuer} for ${auth.audience.join(' or ')}, with the scope that the operation names.`,
  }
}
