import { type ProblemName, problems } from '../http/result.ts'
import { warningHeader } from '../platform/endpoints.ts'
import type { AuthSettings } from '../runtime/settings.ts'
import type { OpenApiSchema, Reference, Response, Responses } from './schemas/schema-parts.ts'
import { andOthers, headerRef, responseRef, schemaRef, text, uri } from './schemas/schema-parts.ts'

const problemType = (name: ProblemName) => `urn:longshore:problem:${name}`

const problemNames = Object.keys(problems) as ProblemName[]

export const responseSchemas: Readonly<Record<string, OpenApiSchema>> = {
  Problem: {
    type: 'object',
    ...andOthers,
    description: 'An error that Longshore itself returns (RFC 9457).',
    required: ['type', 'title', 'status', 'detail'],
    properties: {
      type: {
        type: 'string',
        enum: problemNames.map(problemType),
        description: 'Stable identifier of the problem',
      },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: text('What happened and what to do'),
      parameter: text('The invalid path or query parameter'),
      header: text('The invalid request header'),
      pointer: {
        type: 'string',
        description: 'JSON pointer (RFC 6901) to the first invalid member of the body',
      },
      errors: {
        type: 'array',
        maxItems: 100,
        description: 'All invalid members of the body, at most 100',
        items: {
          type: 'object',
          ...andOthers,
          required: ['pointer', 'expected'],
          properties: {
            pointer: text('JSON pointer (RFC 6901) to the member'),
            expected: text('For example: an integer or null'),
          },
        },
      },
      runId: text('The run in progress, or the run that cannot be cancelled'),
      statusUrl: uri('URL of the run in progress'),
      tip: text('The run of the snapshot at the end of the last change set'),
      snapshot: {
        type: 'object',
        ...andOthers,
        description: 'The state to start from: a snapshot and its counts',
      },
      runStatus: text('Status of the run'),
      outcome: { const: 'unknown', description: 'The update may have been applied' },
      upstreamStatus: { type: 'integer', description: "Status of the platform's response" },
    },
  },
  PlatformError: {
    type: 'object',
    description:
      "The platform's own error, whose members its interface does not specify, or the `message` of API Gateway. An error with one of Longshore's `type`s is a Problem.",
    // A generator for Java takes an object without members as a map, and writes code with it that does not compile.
    properties: { message: { description: 'What is wrong; the platform may send any value' } },
    ...andOthers,
  },
  GatewayMessage: {
    type: 'object',
    description: "API Gateway's own response; the request did not reach Longshore.",
    required: ['message'],
    properties: { message: { type: ['string', 'null'] } },
    ...andOthers,
  },
}

const gatewayContent = {
  'application/json': { schema: schemaRef('GatewayMessage'), example: { message: 'Forbidden' } },
}

/** Responses of API Gateway before a request reaches a function. */
const refusedByGateway = {
  Unauthorized: 'The token is missing, expired or malformed, or has the wrong signature or audience',
  Forbidden: 'The caller is not allowed to use this route, or could not be authenticated',
  TooManyRequests: 'API Gateway throttled the request: wait and try again',
}

const problemsOfSyncs = 'method-not-allowed sync-running not-acceptable run-ended changes-expired'.split(' ')
const proxiedProblems = problemNames.filter((name) => !problemsOfSyncs.includes(name))
/** Statuses that only a proxied PATCH has. */
const patchStatuses = ['409', '415', '422']

/** Headers that any proxied response can have. Each operation lists those of its own with 200. */
const headers = Object.fromEntries(
  ['content-encoding', 'retry-after', warningHeader, 'idempotency-replayed'].map((name) => [
    name,
    headerRef(name),
  ]),
)

export const anyContent: NonNullable<Response['content']> = {
  'application/json': { schema: {} },
  '*/*': { schema: {} },
}

const platformError = (message: string): NonNullable<Response['content']> => ({
  'application/json': { schema: schemaRef('PlatformError'), example: { message } },
  // A body of the platform that is not JSON.
  '*/*': { schema: { type: 'string' } },
})

const orPlatform = (description: string, content: Response['content'] = {}): Response => ({
  description: `${description}. Or the platform's response`,
  headers,
  content,
})

/**
 * Responses of a proxied route. The platform may return the same statuses as Longshore, and some generated clients read
 * only one body of each status: that of `application/problem+json` is therefore either a Problem or the platform's error.
 */
const proxied: Responses = {
  '204': { description: "The platform's response without a body", headers },
  '2XX': { description: "The platform's response", headers, content: anyContent },
  '304': { description: 'The response that the caller has is still current', headers },
  ...Object.fromEntries(
    Object.entries(
      problemResponses(
        proxiedProblems,
        platformError('An error of the platform'),
        schemaRef('PlatformError'),
      ),
    ).map(([status, { description, content }]) => [status, orPlatform(description, content)]),
  ),
  '401': orPlatform(refusedByGateway.Unauthorized, platformError('Unauthorized')),
  '403': orPlatform(refusedByGateway.Forbidden, platformError('Forbidden')),
  '429': orPlatform(refusedByGateway.TooManyRequests, platformError('Too Many Requests')),
  default: orPlatform("API Gateway's own response", platformError('Service Unavailable')),
}

/** A response of every proxied route that has it. */
export const proxiedRef = (status: string): Reference => responseRef(`Proxied-${status}`)

export const sharedResponses: Responses = {
  ...Object.fromEntries(
    Object.entries(refusedByGateway).map(([name, description]) => [
      name,
      { description, content: gatewayContent },
    ]),
  ),
  Gateway: { description: "API Gateway's own response", content: gatewayContent },
  ...Object.fromEntries(Object.entries(proxied).map(([status, response]) => [`Proxied-${status}`, response])),
}

/** Error responses of the routes below /syncs and of the OpenAPI document. */
export const ownFailures = (names: readonly ProblemName[], auth: AuthSettings['type']): Responses => ({
  ...problemResponses(names, gatewayContent, schemaRef('GatewayMessage')),
  ...(auth === 'jwt' && { '401': responseRef('Unauthorized') }),
  '403': responseRef('Forbidden'),
  '429': responseRef('TooManyRequests'),
  default: responseRef('Gateway'),
})

/** Error responses of a proxied route. */
export function proxiedFailures(method: 'GET' | 'PATCH', auth: AuthSettings['type']): Responses {
  const others = [...(method === 'GET' ? patchStatuses : []), ...(auth === 'iam' ? ['401'] : [])]
  const statuses = Object.keys(proxied).filter((status) => !/^[23]/.test(status) && !others.includes(status))
  return Object.fromEntries(statuses.map((status) => [status, proxiedRef(status)]))
}

/** The problems by status. `others` are the other media types with these statuses, `other` is the schema of their JSON. */
function problemResponses(
  names: readonly ProblemName[],
  others: NonNullable<Response['content']>,
  other: OpenApiSchema,
): Record<string, Response> {
  const byStatus = Map.groupBy(names, (name) => String(problems[name].status))
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      status,
      {
        description: of.map((name) => problems[name].title).join('. Or: '),
        content: {
          'application/problem+json': {
            schema: { anyOf: [problemOf(of), other] },
            examples: Object.fromEntries(of.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
          },
          ...others,
        },
      },
    ]),
  )
}

function problemOf(names: readonly ProblemName[]): OpenApiSchema {
  return { allOf: [schemaRef('Problem')], properties: { type: { enum: names.map(problemType) } } }
}

const runId = '20260301T060000000Z-0123456789ab'

/** The members of each example besides type, title and status. */
const details: Readonly<Record<ProblemName, Readonly<Record<string, unknown>>>> = {
  'invalid-request': { detail: '_size must be an integer from 1 to 1000.', parameter: '_size' },
  'not-found': { detail: 'The entity XX is not configured.' },
  'method-not-allowed': { detail: 'This path allows only GET, POST.' },
  'sync-running': {
    detail: 'Wait until it ends, or cancel it by sending DELETE to its statusUrl.',
    runId,
    statusUrl: `https://api.example.com/syncs/CL/runs/${runId}`,
  },
  'not-acceptable': { detail: 'Nothing was refused in this run: its status is published.', runId },
  'run-ended': {
    detail: 'The run has already ended with the status published.',
    runId,
    runStatus: 'published',
  },
  'idempotency-key-running': {
    detail: 'Wait for its response, then send the request again with the same key.',
  },
  'idempotency-outcome-unknown': {
    detail: 'Read the subscription. If the update is missing, send it with a new key.',
    outcome: 'unknown',
  },
  'changes-expired': { detail: 'Load the snapshot and continue from its run.', tip: runId },
  'unsupported-media-type': { detail: 'Send the body as application/json.' },
  'idempotency-key-reused': { detail: 'Choose a new key for another body or query.' },
  'internal-error': {
    detail:
      'This is an error in Longshore. Its operator can find it in the log by the request id (apigw-requestid).',
  },
  'upstream-unreachable': { detail: 'Nothing was sent. Send the request again later.' },
  'upstream-interrupted': {
    detail: 'The connection was lost before the response was complete. The update may have been applied.',
    outcome: 'unknown',
  },
  'upstream-redirect': { detail: 'Redirects are neither followed nor relayed.', upstreamStatus: 302 },
  'upstream-response-unusable': {
    detail:
      'The platform responded with status 200, and the response cannot be relayed. Its header x-svc-md-token is not ASCII.',
    upstreamStatus: 200,
  },
  'response-too-large': { detail: 'The response is larger than 6 MB. Request fewer documents with _size.' },
  'credentials-not-set': { detail: "Ask the operator of Longshore to set the platform's credentials." },
  'credentials-unreadable': { detail: "Ask the operator of Longshore to check the platform's credentials." },
  'request-not-sent': { detail: 'Time ran out before the request could be sent. Send it again.' },
  'upstream-timeout': {
    detail: 'The platform did not respond in time. The update may have been applied.',
    outcome: 'unknown',
  },
}

export const problemExamples = Object.fromEntries(
  problemNames.map((name) => {
    const { status, title } = problems[name]
    const value = { type: problemType(name), title, status, ...details[name] }
    return [name, { summary: title, value }]
  }),
)
