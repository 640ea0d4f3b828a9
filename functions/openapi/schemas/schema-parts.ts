import { type Schema, schemaRef } from '../openapi-form.ts'

/** Every member is always present; an unknown value is null. */
export const record = (description: string, properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  description,
  required: Object.keys(properties),
  properties,
})
export const text = (description: string): Schema => ({ type: 'string', description })
export const time = (description: string): Schema => ({ type: 'string', format: 'date-time', description })
export const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
export const positive = (description: string): Schema => ({ type: 'integer', minimum: 1, description })
export const flag = (description: string): Schema => ({ type: 'boolean', description })
export const option = (description: string): Schema => ({ type: 'boolean', default: false, description })
export const uri = (description: string): Schema => ({ type: 'string', format: 'uri', description })
export const oneOf = (values: readonly string[], description?: string): Schema => ({
  type: 'string',
  enum: values,
  ...(description !== undefined && { description }),
})
export const listOf = (items: Schema, description?: string): Schema => ({
  type: 'array',
  items,
  ...(description !== undefined && { description }),
})
/** Counts by names that are not known in advance. */
export const countsByName = (minimum: number, description: string): Schema => ({
  type: 'object',
  additionalProperties: { type: 'integer', minimum },
  description,
})
export const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema['type'], 'null'] })
export const refOrNull = (name: string): Schema => ({ anyOf: [schemaRef(name), { type: 'null' }] })

export const runId: Schema = {
  type: 'string',
  pattern: '^\\d{8}T\\d{9}Z-[0-9a-f]{12}$',
  description: 'Run IDs sort by time',
}
export const proof = {
  type: 'string',
  description:
    "Why the snapshot counts as complete. exact: the number of unique ids equals the total that the platform reported. within-tolerance: no request's outcome is unknown, and the count differs by at most totalTolerancePercent. no-total: no request's outcome is unknown, and the platform reported no total.",
}
export const proofs = ['exact', 'within-tolerance', 'no-total']
export const sha256: Schema = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the object',
}
export const link: Schema = uri(
  'Pre-signed URL of the object. It works for 15 minutes and needs no credentials',
)

/** The pages of a snapshot, in the order of the manifest. */
export const snapshotPages = {
  type: 'array',
  items: record('An object in the bucket: gzip, one document per line.', {
    key: text('Key in the bucket'),
    documents: count('Number of documents'),
    bytes: count('Size of the object'),
    sha256,
    link,
  }),
} satisfies Schema
