import { runIdPattern } from '../../stored/run/run.ts'
import { accountQuery, type OtherQuery, otherQueryPatterns, placeholders } from '../platform/query-names.ts'
import { entityNamePattern } from '../runtime/settings-schema/entity-name.ts'
import type { OpenApiSchema, Parameter } from './schemas/schema-parts.ts'

/** Headers that are not parameters in OpenAPI: media types describe them, or HTTP clients set them. */
const notParameters = new Set(['accept', 'accept-encoding', 'content-type'])

/** One path segment, by the rules of functions/proxy/request/path-rules.ts. */
const segment: OpenApiSchema = {
  type: 'string',
  minLength: 1,
  pattern: '^(?!\\.{1,2}$)[^/\\\\?#%\\u0000-\\u001f\\u007f-\\u009f\\ufffd]+$',
}

export function anySegment(name: string, example: string | undefined): Parameter {
  const description = 'One path segment, percent-encoded where needed. It must not contain / \\ ? # %'
  return {
    name,
    in: 'path',
    required: true,
    description,
    schema: segment,
    ...(example !== undefined && { example }),
  }
}

const text: OpenApiSchema = { type: 'string' }

/** The account, if callers may name it. Only the interface's own parameter (section 4.2) is sent to the platform. */
export const accountParameter = (account: string | undefined): Parameter => ({
  name: accountQuery,
  in: 'query',
  description: "Account name: clients of the platform's own API send it with every request",
  schema: account === undefined ? text : { type: 'string', const: account },
})

/** The platform's query parameters (interface sections 4.4 and 4.5) and our own. */
const queryDescriptions: Readonly<Record<string, Omit<Parameter, 'name' | 'in'>>> = {
  _fields: {
    description: 'Fields to return, separated by commas; _all returns all of them',
    schema: text,
    example: 'id,email',
  },
  _where: { description: 'Condition', schema: text, example: 'isNewsletterOptIn=true' },
  _sort: { description: 'Field and direction (ASC or DESC)', schema: text, example: 'id ASC' },
  _keyword: { description: 'Text to search for', schema: text },
  _schema: { description: 'Schema to apply', schema: text },
  _size: {
    description:
      'Documents in each page. Only the first request sets it: together with _token it is not sent to the platform',
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    example: 100,
  },
  _token: {
    description: 'Token of the previous response. A request without it starts a scroll',
    schema: { type: 'string', minLength: 1 },
  },
  since: {
    description: 'The run whose state the caller has: the tip or the last set that it read',
    schema: { type: 'string', pattern: runIdPattern.source },
    example: '20260301T060000000Z-0123456789ab',
  },
  limit: {
    description: 'Maximum number of change sets in a response',
    schema: { type: 'integer', minimum: 1, maximum: 20, default: 20 },
  },
  cursor: {
    description: 'Position of the next pages, from `next` of the previous response',
    schema: { type: 'string', pattern: '^\\d{8}T\\d{9}Z-[0-9a-f]{12}\\.\\d{1,7}$' },
  },
}

/** Stands for every name that is not listed. The example has none: tools would invent a name. */
const otherParameter = (which: OtherQuery, description: string): Parameter => ({
  name: placeholders[which],
  in: 'query',
  description,
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    propertyNames: { pattern: otherQueryPatterns[which] },
    additionalProperties: { type: 'string' },
  },
  example: {},
})

export const otherParameters: Readonly<Record<OtherQuery, Parameter>> = {
  fields: otherParameter(
    'fields',
    'Any field name with the value to search for, for example email=a@b.c. A name may be repeated. Each member of this object is a query parameter; a parameter named any-field, any-field[email] and the value [object Object] are rejected. A client that does not read style and explode from this document needs them in its settings: openapi-fetch has the option querySerializer.',
  ),
  any: otherParameter(
    'any',
    'Any parameter of the platform. A name may be repeated. Each member of this object is a query parameter.',
  ),
}

const described = new Map(
  Object.entries(queryDescriptions).map(([name, more]): [string, Parameter] => [
    name,
    { name, in: 'query', ...more },
  ]),
)

export const queryParameters = (names: readonly string[]): Parameter[] =>
  names.map((name) => described.get(name) ?? configuredParameter(name))

/** A parameter of a configured endpoint, of which only the platform knows the rules. */
export const configuredParameter = (name: string): Parameter => ({
  name,
  in: 'query',
  description: 'Parameter of the platform. It may be repeated',
  style: 'form',
  explode: true,
  schema: { type: 'array', items: text },
})

/** `traceparent` has no example: a copied value would put requests that do not belong together into one trace. */
const headerDescriptions: Readonly<Record<string, Parameter>> = {
  'rest-range': {
    name: 'REST-Range',
    in: 'header',
    description:
      'Range of documents: resources=x-y returns the documents x to y - 1, at most 100. Without it the platform chooses',
    schema: { type: 'string', pattern: '^resources=[0-9]{1,15}-[0-9]{1,15}$' },
    example: 'resources=0-100',
  },
  'if-none-match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of a response that the caller has: 304 if it is still current',
    schema: text,
  },
  traceparent: {
    name: 'traceparent',
    in: 'header',
    description:
      "The caller's trace (W3C Trace Context). It is logged and sent to the platform with a new span. A malformed value is ignored",
    schema: text,
  },
}

export function headerParameters(names: readonly string[]): Parameter[] {
  return names
    .filter((name) => !notParameters.has(name))
    .map(
      (name) =>
        headerDescriptions[name] ?? { name, in: 'header', description: 'Forwarded unchanged', schema: text },
    )
}

/** Without an example: a copied key would return the response to another update. */
export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A unique value for one update, for example a UUID, bare or in double quotes. The first response is stored for 24 hours and returned again for requests with the same key, body and query. A key belongs to its caller, method and path. After 401, 403, 429 or a request that was not sent, the key can be used again. After 408, 5xx or a failure after sending, the outcome is unknown: choose a new key. With JWT the token needs a sub or client_id claim.',
  schema: {
    type: 'string',
    pattern: '^(?:"(?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255}"|[!#-~](?:[ !#-~]{0,253}[!#-~])?)$',
  },
}

/** The entity of a sync. An entity that is not configured is a 404. */
export const syncEntityParameter = (configured: readonly string[]): Parameter => ({
  name: 'entity',
  in: 'path',
  required: true,
  description: `Configured data entity${configured.length > 0 ? `: ${configured.join(', ')}` : ''}`,
  schema: { type: 'string', pattern: entityNamePattern.source },
  ...(configured[0] !== undefined && { example: configured[0] }),
})

export const syncRun: Parameter = {
  name: 'runId',
  in: 'path',
  required: true,
  description: 'Run ID. Runs are kept for 30 days after they end',
  schema: { type: 'string', pattern: runIdPattern.source },
  example: '20260301T060000000Z-0123456789ab',
}
