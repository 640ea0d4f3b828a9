import { runIdPattern } from '../../../stored/run/run.ts'
import type { ApiRoute } from '../../http/lambda-functions.ts'
import type { Settings } from '../../runtime/settings.ts'

/** Later versions add members. Without this, strict generated clients refuse a response with a member that they do not know. */
export const andOthers = { additionalProperties: true } as const

/** Every member is always present, except the optional ones; an unknown value is null. */
export const record = (
  description: string,
  members: Readonly<Record<string, OpenApiSchema>>,
  optional: Readonly<Record<string, OpenApiSchema>> = {},
): OpenApiSchema => ({
  type: 'object',
  description,
  required: Object.keys(members),
  properties: { ...members, ...optional },
  ...andOthers,
})
export const text = (description: string): OpenApiSchema => ({ type: 'string', description })
export const time = (description: string): OpenApiSchema => ({
  type: 'string',
  format: 'date-time',
  description,
})
export const countSchema = (description: string): OpenApiSchema => ({
  type: 'integer',
  minimum: 0,
  description,
})
export const positive = (description: string): OpenApiSchema => ({ type: 'integer', minimum: 1, description })
export const flagSchema = (description: string): OpenApiSchema => ({ type: 'boolean', description })
export const option = (description: string): OpenApiSchema => ({
  type: 'boolean',
  default: false,
  description,
})
export const uri = (description: string): OpenApiSchema => ({ type: 'string', format: 'uri', description })
export const enumSchema = (values: readonly string[], description?: string): OpenApiSchema => ({
  type: 'string',
  enum: values,
  ...(description !== undefined && { description }),
})
export const listSchema = (items: OpenApiSchema, description?: string): OpenApiSchema => ({
  type: 'array',
  items,
  ...(description !== undefined && { description }),
})
/** Counts by names that are not known in advance. */
export const countsByName = (minimum: number, description: string): OpenApiSchema => ({
  type: 'object',
  additionalProperties: { type: 'integer', minimum },
  description,
})
export const orNull = (schema: OpenApiSchema): OpenApiSchema => ({
  ...schema,
  type: [schema['type'], 'null'],
})
/** Of an object: generators do not know one that is also of another type. */
export const objectOrNull = (schema: OpenApiSchema): OpenApiSchema => ({ anyOf: [schema, { type: 'null' }] })
export const refOrNull = (name: string): OpenApiSchema => objectOrNull(schemaRef(name))

export const runId: OpenApiSchema = {
  type: 'string',
  pattern: runIdPattern.source,
  description: 'Run IDs sort by time',
}
export const proofs = ['exact', 'within-tolerance', 'no-total']
export const proof: OpenApiSchema = {
  type: 'string',
  description:
    "Why the snapshot counts as complete. exact: the number of unique ids equals the total that the platform reported. within-tolerance: no request's outcome is unknown, and the count differs by at most totalTolerancePercent. no-total: no request's outcome is unknown, and the platform reported no total or totals are ignored; of an increment: two scrolls found the same documents.",
  enum: proofs,
}

export const sha256 = (of: string): OpenApiSchema => ({
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: `SHA-256 of ${of}`,
})

/** An object in the bucket. `counts`: the number of its lines. */
export const objectMembers = (counts: Readonly<Record<string, OpenApiSchema>>) => ({
  key: text('Key in the bucket'),
  ...counts,
  bytes: countSchema('Size of the object'),
  sha256: sha256('the object'),
  link: uri('Pre-signed URL of the object. It works for 15 minutes and needs no credentials'),
})

/** The pages of a snapshot, in the order of the manifest. */
export const snapshotPages = {
  type: 'array',
  items: record(
    'An object in the bucket: gzip, one document per line.',
    objectMembers({ documents: countSchema('Number of documents') }),
    { range: countSchema('Place of its range in `partitions`; only if the entity was scrolled in ranges') },
  ),
} satisfies OpenApiSchema

/** What an increment asked for and delivered. */
export const incrementMembers = {
  from: time('Beginning of the window'),
  to: time('End of the window'),
  records: countSchema('Number of records'),
  older: countSchema('Documents left out because an increment has already delivered a newer version'),
  withoutId: countSchema('Documents without an id, which were left out'),
} satisfies Record<string, OpenApiSchema>

/** The part of a deployment that its OpenAPI document describes. */
export type DescribedApi = Pick<Settings, 'name' | 'upstream' | 'entities' | 'auth' | 'endpoints'>

/** The parts of OpenAPI 3.1 that we use. A test checks the document with a public validator. */
export type OpenApiSchema = Readonly<Record<string, unknown>>

export interface MediaType {
  readonly schema: OpenApiSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, Reference>>
}

export interface Reference {
  readonly $ref: string
}

export interface Header {
  readonly description: string
  readonly schema: OpenApiSchema
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Readonly<Record<string, MediaType>>
}

/** By status, range of statuses (`4XX`) or `default`. */
export type Responses = Readonly<Record<string, Response | Reference>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: true
  readonly description: string
  readonly schema: OpenApiSchema
  readonly style?: 'form'
  readonly explode?: true
  readonly example?: unknown
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly description?: string
    readonly content: Readonly<Record<string, MediaType>>
  }
  readonly responses: Responses
}

/** An operation with its route and the scope that a token needs. */
export interface DescribedRoute extends ApiRoute {
  readonly operation: OpenApiOperation
}

export const schemaRef = (name: string): Reference & OpenApiSchema => ({
  $ref: `#/components/schemas/${name}`,
})
export const responseRef = (name: string): Reference => ({ $ref: `#/components/responses/${name}` })
export const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` })
export const headerRef = (name: string): Reference => ({ $ref: `#/components/headers/${name}` })

/** `read-dock` becomes `readDock`, the function name in generated clients. */
export const operationIdOf = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
