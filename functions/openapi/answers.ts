import { type ProblemName, problems } from '../http/problem.ts'
import { type Response, type Responses, responseRef, type Schema, schemaRef } from './openapi-form.ts'

const problemType = (name: ProblemName) => `urn:longshore:problem:${name}`

const problemNames = Object.keys(problems) as ProblemName[]

export const answerSchemas: Readonly<Record<string, Schema>> = {
  Problem: {
    type: 'object',
    description: 'What Longshore refuses or fails itself (RFC 9457).',
    required: ['type', 'title', 'status', 'detail'],
    properties: {
      type: { type: 'string', enum: problemNames.map(problemType), description: 'Stable: decide by this' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What to do about it' },
      parameter: { type: 'string', description: 'The path or query parameter that is wrong' },
      header: { type: 'string', description: 'The request header that is wrong' },
      pointer: { type: 'string', description: 'JSON pointer (RFC 6901) to what is wrong in the body' },
      errors: {
        type: 'array',
        maxItems: 100,
        description: 'Every member of the body that is wrong, 100 at most',
        items: {
          type: 'object',
          required: ['pointer', 'expected'],
          properties: {
            pointer: { type: 'string', description: 'JSON pointer (RFC 6901) to the member' },
            expected: { type: 'string', description: 'Such as: an integer or null' },
          },
        },
      },
      runId: { type: 'string', description: 'The run that is in the way, or has ended' },
      runStatus: { type: 'string', description: 'The status in which the run is' },
      outcome: { const: 'unknown', description: 'The update may have been made' },
      upstreamStatus: { type: 'integer', description: 'What the platform answered' },
    },
  },
  GatewayMessage: {
    type: 'object',
    description:
      "API Gateway's own answer, given before a function of ours is asked or in place of its answer.",
    required: ['message'],
    properties: { message: { type: ['string', 'null'] } },
  },
}

const gatewayContent = { 'application/json': { schema: schemaRef('GatewayMessage') } }

/** Given before a request reaches us, so by the platform's paths as by our own. */
const refusedByGateway = {
  Unauthorized: 'The token is missing, expired, not signed as it must be, or for another audience',
  Forbidden: 'The caller is not allowed to use this route, or could not be recognised',
  TooManyRequests: 'API Gateway lets no more requests through at this rate: wait, then try again',
}

export const sharedResponses: Readonly<Record<string, Response>> = {
  ...Object.fromEntries(
    Object.entries(refusedByGateway).map(([name, description]) => [
      name,
      { description, content: gatewayContent },
    ]),
  ),
  Gateway: { description: "API Gateway's own answer", content: gatewayContent },
}

/** Answers of routes that we answer ourselves, beside the good one. */
export function ownFailures(names: readonly ProblemName[], auth: 'iam' | 'jwt'): Responses {
  return {
    ...problemResponses(names, { 'application/json': gatewayContent['application/json'] }),
    ...(auth === 'jwt' && { '401': responseRef('Unauthorized') }),
    '403': responseRef('Forbidden'),
    '429': responseRef('TooManyRequests'),
    default: responseRef('Gateway'),
  }
}

/**
 * Answers of a proxied route, beside the good one. The platform may answer with any status that we use, and then the
 * body is whatever it sent: the content type tells which it is.
 */
export function proxiedFailures(
  names: readonly ProblemName[],
  { auth, headers }: { auth: 'iam' | 'jwt'; headers: NonNullable<Response['headers']> },
): Responses {
  const platform = { '*/*': { schema: {} } } as const
  const either = (description: string): Response => ({ description, headers, content: platform })
  const ours = Object.entries(problemResponses(names, platform)).map(([status, response]) => [
    status,
    { ...response, description: `${response.description}. Or the platform's own answer`, headers },
  ])
  return {
    ...Object.fromEntries(ours),
    ...(auth === 'jwt' && {
      '401': either(`${refusedByGateway.Unauthorized}. Or the platform's own answer`),
    }),
    '403': either(`${refusedByGateway.Forbidden}. Or the platform's own answer`),
    '429': either(`${refusedByGateway.TooManyRequests}. Or the platform's own answer`),
    default: either(
      "The platform's own answer, with its status and its body byte for byte, or API Gateway's",
    ),
  }
}

/** The problems by their status. `others` is what else may come with the same statuses. */
function problemResponses(
  names: readonly ProblemName[],
  others: NonNullable<Response['content']>,
): Record<string, Response> {
  const byStatus = Map.groupBy(names, (name) => String(problems[name].status))
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      status,
      {
        description: of.map((name) => problems[name].title).join('. Or: '),
        content: {
          'application/problem+json': {
            schema: { allOf: [schemaRef('Problem')], properties: { type: { enum: of.map(problemType) } } },
            examples: Object.fromEntries(of.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
          },
          ...others,
        },
      },
    ]),
  )
}

const details: Partial<Record<ProblemName, Readonly<Record<string, unknown>>>> = {
  'invalid-request': { detail: '_size must be an integer from 1 to 1000.', parameter: '_size' },
  'sync-running': {
    detail: 'Wait for its end, or cancel it with DELETE at its address below /syncs.',
    runId: '20260301T060000000Z-0123456789ab',
  },
  'run-ended': {
    detail: 'The run has the status published already, so there is nothing to cancel.',
    runId: '20260301T060000000Z-0123456789ab',
    runStatus: 'published',
  },
  'idempotency-outcome-unknown': {
    detail: 'Look at the subscription; if the update is missing, send it with a new key.',
    outcome: 'unknown',
  },
  'upstream-answer-unusable': {
    detail:
      'The platform answered with status 200, and its answer cannot be passed on. Its header x-svc-md-token is not ASCII.',
    upstreamStatus: 200,
  },
  'upstream-redirect': { detail: 'Redirects are neither followed nor passed on.', upstreamStatus: 302 },
}

/** One example of each problem, by its name. */
export const problemExamples = Object.fromEntries(
  problemNames.map((name) => {
    const { status, title } = problems[name]
    const value = { type: problemType(name), title, status, detail: 'Says what to do.', ...details[name] }
    return [name, { summary: title, value }]
  }),
)
