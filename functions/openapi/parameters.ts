import type { Parameter, Schema } from './openapi-form.ts'

/** Headers that OpenAPI tells by other means than parameters: content types and what HTTP clients do by themselves. */
const toldOtherwise = new Set(['accept', 'accept-encoding', 'content-type'])

/** One segment: no slash or backslash, no control character, no step within the path. */
const segment: Schema = {
  type: 'string',
  minLength: 1,
  pattern: '^(?!\\.{1,2}$)[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\ufffd]+$',
}

export function anySegment(name: string, example: string | undefined): Parameter {
  const description = 'One segment of the path, percent-encoded where needed'
  return {
    name,
    in: 'path',
    required: true,
    description,
    schema: segment,
    ...(example !== undefined && { example }),
  }
}

const text: Schema = { type: 'string' }

/** The platform's query parameters (interface sections 4.2, 4.4 and 4.5). */
const queryWords: Readonly<Record<string, Omit<Parameter, 'name' | 'in'>>> = {
  an: { description: 'Names the account', schema: text },
  _fields: {
    description: 'Fields to show, separated by commas; all: _all',
    schema: text,
    example: 'id,email',
  },
  _where: { description: 'A condition', schema: text, example: 'isNewsletterOptIn=true' },
  _sort: { description: 'A field and ASC or DESC', schema: text, example: 'id ASC' },
  _keyword: { description: 'A text to search for', schema: text },
  _schema: { description: 'The schema to apply', schema: text },
  _size: {
    description: 'Documents a page. In the first request only, and not together with _token',
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    example: 1000,
  },
  _token: {
    description: 'The token of the answer before. Without it a scroll starts',
    schema: { type: 'string', minLength: 1 },
  },
}

/** What may stand as a filter: a field's name. A leading `_` is the platform's, `X-Amz-…` signs a URL. */
const fieldFilters: Parameter = {
  name: 'filters',
  in: 'query',
  description:
    "Any field's name with the value to look for, such as email=a@b.c; a name may be repeated. The parameters are the members of this object: there is none called filters.",
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    propertyNames: {
      pattern:
        '^(?![Xx]-[Aa][Mm][Zz]-)[^_\\s\\u0000-\\u001f\\u007f-\\u009f\\ufffd][^\\u0000-\\u001f\\u007f-\\u009f\\ufffd]*$',
    },
    additionalProperties: { type: 'string' },
  },
}

export function queryParameters(names: readonly string[], withFilters: boolean): Parameter[] {
  const listed = names.map(
    (name): Parameter => ({
      name,
      in: 'query',
      ...(queryWords[name] ?? { description: "The platform's own parameter", schema: text }),
    }),
  )
  return withFilters ? [...listed, fieldFilters] : listed
}

const headerWords: Readonly<Record<string, Parameter>> = {
  'rest-range': {
    name: 'REST-Range',
    in: 'header',
    description:
      'The documents to list: resources=x-y is x to y - 1, at most 100. Without it the platform decides',
    schema: { type: 'string', pattern: '^resources=[0-9]{1,15}-[0-9]{1,15}$' },
    example: 'resources=0-100',
  },
  traceparent: {
    name: 'traceparent',
    in: 'header',
    description:
      "The caller's trace (W3C Trace Context): the log has its id, and it goes up with a span of ours. One that is not valid stays behind",
    schema: text,
    example: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
}

export function headerParameters(names: readonly string[]): Parameter[] {
  return names
    .filter((name) => !toldOtherwise.has(name))
    .map((name) => headerWords[name] ?? { name, in: 'header', description: 'Goes up as it is', schema: text })
}

/** Without an example: who copies one meets the answer to somebody's other update. */
export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Chosen by the caller for one update, such as a UUID, bare or in double quotes. The first answer is kept for 24 hours and given again to a repeat with the same key, body and query; a key belongs to its caller, method and path. An answer of 401, 403, 429 or 503, or a request that was never sent, frees the key.',
  schema: {
    type: 'string',
    pattern: '^(?:"(?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255}"|[!#-~](?:[ !#-~]{0,253}[!#-~])?)$',
  },
}

/** The entity of a sync. Any text may be sent; one that is not configured is a 404. */
export function syncEntity(configured: readonly string[]): Parameter {
  return {
    name: 'entity',
    in: 'path',
    required: true,
    description: `A configured data entity${configured.length > 0 ? `: ${configured.join(', ')}` : ''}`,
    schema: text,
    ...(configured[0] !== undefined && { example: configured[0] }),
  }
}

export const syncRun: Parameter = {
  name: 'runId',
  in: 'path',
  required: true,
  description: 'The id of a run; runs are kept for 30 days after their end',
  schema: text,
  example: '20260301T060000000Z-0123456789ab',
}
