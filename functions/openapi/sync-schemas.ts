import type { Schema } from './openapi-form.ts'
import { schemaRef } from './openapi-form.ts'

/** Every member is always there; what is not known yet is null. */
const record = (description: string, properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  description,
  required: Object.keys(properties),
  properties,
})
const text = (description: string): Schema => ({ type: 'string', description })
const time = (description: string): Schema => ({ type: 'string', format: 'date-time', description })
const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema['type'], 'null'] })
const refOrNull = (name: string): Schema => ({ anyOf: [schemaRef(name), { type: 'null' }] })

const runId: Schema = {
  type: 'string',
  pattern: '^\\d{8}T\\d{9}Z-[0-9a-f]{12}$',
  description: 'Sorts by time',
}
const proof = {
  type: 'string',
  description:
    'exact: as many unique ids as the platform reported. within-tolerance: nothing went wrong on the way and the count is off by little. no-total: the platform reported none and nothing went wrong.',
}
const proofs = ['exact', 'within-tolerance', 'no-total']

export const syncSchemas: Readonly<Record<string, Schema>> = {
  Run: record('One sync of one entity.', {
    runId,
    entity: text("The data entity's name"),
    status: {
      type: 'string',
      enum: ['running', 'waiting', 'publishing', 'published', 'refused', 'failed', 'cancelled', 'skipped'],
      description: 'The first three are under way, the others are final.',
    },
    startedAt: time('When it was started'),
    updatedAt: time('When it came on last'),
    endedAt: orNull(time('When it ended')),
    documents: count('Documents so far'),
    total: orNull(count('What the platform reported')),
    percent: orNull({ type: 'integer', minimum: 0, maximum: 100, description: 'Documents of the total' }),
    pages: count('Pages so far'),
    attempt: {
      type: 'integer',
      minimum: 1,
      description: 'An attempt whose proof fails is followed by another',
    },
    suspect: { type: 'boolean', description: 'Whether a page of this attempt may have been lost' },
    reason: orNull(text('Why it waits, or ended without publishing, and what to do')),
    documentsPerSecond: orNull({ type: 'number', minimum: 0, description: 'Pace of this attempt' }),
    secondsLeft: orNull(count('At that pace')),
    uniqueIds: orNull(count('Documents with different ids')),
    proof: orNull({ ...proof, enum: [...proofs, null] }),
    manifest: orNull(text('Key of the published manifest in the bucket')),
    faults: {
      type: 'object',
      additionalProperties: { type: 'integer', minimum: 1 },
      description: 'Requests that brought no page, by what came instead: a status, or a kind of failure',
    },
  }),
  PublishedSnapshot: record('The last published snapshot.', {
    runId,
    manifest: text('Key of the manifest in the bucket'),
    publishedAt: time('When it was published'),
    documents: count('Documents in it'),
  }),
  SyncedEntity: record('A data entity: when it is synced, what goes on, what is published.', {
    entity: text("The data entity's name"),
    schedule: text('rate(…) or cron(…)'),
    timezone: text('Of the schedule'),
    enabled: { type: 'boolean', description: 'Whether the schedule is in force' },
    running: refOrNull('Run'),
    snapshot: refOrNull('PublishedSnapshot'),
    runs: { type: 'array', items: schemaRef('Run'), description: 'The last ten, newest first' },
  }),
  SyncedEntities: record('All configured entities.', {
    entities: { type: 'array', items: schemaRef('SyncedEntity') },
  }),
  StartOptions: {
    type: 'object',
    properties: {
      acceptShrink: {
        type: 'boolean',
        default: false,
        description: 'Publish even if the snapshot is smaller than the one before by more than allowed',
      },
    },
    additionalProperties: false,
  },
  StartedRun: record('A run that has been started. It can be looked at from now on.', {
    runId,
    entity: text("The data entity's name"),
    statusUrl: { type: 'string', format: 'uri', description: 'Absolute address of the run' },
  }),
  Snapshot: record('The manifest of a published snapshot, each page with a link.', {
    version: { type: 'integer', const: 1 },
    entity: text("The data entity's name"),
    runId,
    startedAt: time('When its run started'),
    finishedAt: time('When its last page had come'),
    query: {
      type: 'object',
      additionalProperties: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      },
      description: 'Extra parameters of the scroll',
    },
    pageSize: { type: 'integer', minimum: 1, description: 'Documents a page' },
    attempts: { type: 'integer', minimum: 1, description: 'How many it took' },
    documents: count('Documents in all pages'),
    uniqueIds: count('Documents with different ids'),
    reportedTotal: orNull(count('What the platform reported')),
    proof: { ...proof, enum: proofs },
    spent: record('What the run took.', {
      requests: count('Scroll requests'),
      receivedBytes: count('Of the answers'),
      milliseconds: count('From start to end'),
    }),
    pages: {
      type: 'array',
      items: record('One object in the bucket: gzip, a document a line.', {
        key: text('Its key in the bucket'),
        documents: count('Documents in it'),
        bytes: count('Size of the object'),
        sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the object' },
        link: { type: 'string', format: 'uri', description: 'Gives the object to anybody for 15 minutes' },
      }),
    },
  }),
}

const exampleRunId = '20260301T060000000Z-0123456789ab'
const exampleKey = `snapshots/CL/${exampleRunId}/a1-p000001-5f0c1c9e-8a2b.ndjson.gz`
const exampleManifest = `snapshots/CL/${exampleRunId}/manifest.json`

const run = {
  runId: exampleRunId,
  entity: 'CL',
  status: 'published',
  startedAt: '2026-03-01T06:00:00.000Z',
  updatedAt: '2026-03-01T06:00:09.500Z',
  endedAt: '2026-03-01T06:00:09.500Z',
  documents: 5000,
  total: 5000,
  percent: 100,
  pages: 5,
  attempt: 1,
  suspect: false,
  reason: null,
  documentsPerSecond: 612.5,
  secondsLeft: 0,
  uniqueIds: 5000,
  proof: 'exact',
  manifest: exampleManifest,
  faults: {},
}
const entity = {
  entity: 'CL',
  schedule: 'rate(6 hours)',
  timezone: 'UTC',
  enabled: true,
  running: null,
  snapshot: {
    runId: exampleRunId,
    manifest: exampleManifest,
    publishedAt: '2026-03-01T06:00:09.400Z',
    documents: 5000,
  },
  runs: [run],
}

export const syncExamples = {
  run,
  cancelled: {
    ...run,
    status: 'cancelled',
    reason: 'Cancelled by a caller.',
    uniqueIds: null,
    proof: null,
    manifest: null,
  },
  entity,
  entities: { entities: [entity] },
  started: {
    runId: exampleRunId,
    entity: 'CL',
    statusUrl: `https://api.example.com/syncs/CL/runs/${exampleRunId}`,
  },
  snapshot: {
    version: 1,
    entity: 'CL',
    runId: exampleRunId,
    startedAt: '2026-03-01T06:00:00.000Z',
    finishedAt: '2026-03-01T06:00:09.000Z',
    query: {},
    pageSize: 1000,
    attempts: 1,
    documents: 1000,
    uniqueIds: 1000,
    reportedTotal: 1000,
    proof: 'exact',
    spent: { requests: 2, receivedBytes: 1_024_000, milliseconds: 9_000 },
    pages: [
      {
        key: exampleKey,
        documents: 1000,
        bytes: 231_072,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        link: `https://bucket.example.com/${exampleKey}?X-Amz-Expires=900`,
      },
    ],
  },
} as const
