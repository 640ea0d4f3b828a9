import type { ProblemName } from '../http/result.ts'
import type { SyncRoute } from '../http/sync-routes.ts'
import { headerParameters, queryParameters, syncEntityParameter, syncRun } from './parameters.ts'
import { ownFailures } from './responses.ts'
import { changesExample } from './schemas/changes-schemas.ts'
import type {
  DescribedApi,
  DescribedRoute,
  OpenApiOperation,
  Response,
  Responses,
} from './schemas/schema-parts.ts'
import { operationIdOf, refOrNull, schemaRef } from './schemas/schema-parts.ts'
import { syncExamples } from './schemas/sync-examples.ts'

interface SyncDescription {
  readonly summary: string
  readonly description: string
  readonly status: '200' | '202'
  readonly response: string
  readonly schema: string
  readonly example: unknown
  /** `method-not-allowed` where API Gateway, which ends a path at a decoded `?`, may find another operation's path. */
  readonly problems: readonly ProblemName[]
  readonly requestBody?: OpenApiOperation['requestBody']
  readonly requestHeaders?: readonly string[]
  readonly headers?: Response['headers']
  readonly otherResponses?: Responses
}

const descriptions: Readonly<Record<SyncRoute['name'], SyncDescription>> = {
  'list-syncs': {
    summary: 'List all synced entities',
    description:
      'Lists the configured entities with their schedules, last runs and published snapshots. The progress of runs in progress is updated about every 20 seconds.',
    status: '200',
    response: 'The configured entities',
    schema: 'SyncedEntities',
    example: syncExamples.entities,
    problems: ['invalid-request', 'internal-error', 'response-too-large'],
  },
  'read-sync': {
    summary: 'Read the syncs of an entity',
    description:
      "Reads an entity's schedule, its run in progress, its last runs, its published snapshot and its typed table.",
    status: '200',
    response: 'The entity with its last runs',
    schema: 'SyncedEntity',
    example: syncExamples.entity,
    problems: ['invalid-request', 'not-found', 'internal-error'],
  },
  'start-sync': {
    summary: 'Start a sync',
    description:
      'Starts a run of the entity. Read `statusUrl` until the run has ended. If a run of the entity is in progress, the response is a 409 with its `runId`.',
    status: '202',
    response: 'The started run',
    schema: 'StartedRun',
    example: syncExamples.started,
    problems: ['invalid-request', 'not-found', 'sync-running', 'internal-error'],
    requestBody: {
      required: false,
      content: { 'application/json': { schema: refOrNull('StartOptions'), example: {} } },
    },
  },
  'read-run': {
    summary: 'Read a run',
    description: 'Reads the status and the progress of a run.',
    status: '200',
    response: 'The run',
    schema: 'Run',
    example: syncExamples.run,
    problems: ['invalid-request', 'not-found', 'internal-error'],
  },
  'cancel-run': {
    summary: 'Cancel a run',
    description:
      'Cancels a run that is in progress. The worker stops sending requests to the platform within 5 seconds. The published snapshot does not change.',
    status: '202',
    response: 'The cancelled run',
    schema: 'Run',
    example: syncExamples.cancelled,
    problems: ['invalid-request', 'not-found', 'method-not-allowed', 'run-ended', 'internal-error'],
  },
  'accept-run': {
    summary: 'Accept what a guard refused',
    description:
      'Publishes exactly what was reviewed, without another scroll: the snapshot of a run that was refused, or the change set that the comparison of a published run refused. Read `statusUrl` until the run is published. If the publication fails, the run is refused again. A repeated request receives the same response and has no further effect. The response is a 409 while another run is in progress, if nothing was refused, or if what was refused is gone or replaced by a newer run. With `withChanges`, also if the snapshot was accepted without it, or if the change sets end at another snapshot than the review compared with.',
    status: '202',
    response: 'The accepted run',
    schema: 'StartedRun',
    example: syncExamples.started,
    problems: [
      'invalid-request',
      'not-found',
      'method-not-allowed',
      'sync-running',
      'not-acceptable',
      'internal-error',
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaRef('AcceptOptions'), example: { guard: 'snapshot' } } },
    },
  },
  'read-snapshot': {
    summary: 'Read the published snapshot of an entity',
    description:
      'Reads the manifest of the published snapshot. Each page has a `link` that works for 15 minutes and needs no credentials. Follow `next` for more pages.',
    status: '200',
    response: 'The manifest with a link to each page, at most 1,000 pages',
    schema: 'Snapshot',
    example: syncExamples.snapshot,
    problems: ['invalid-request', 'not-found', 'internal-error', 'response-too-large'],
  },
  'read-changes': {
    summary: 'Read the change sets of an entity',
    description:
      'Lists the change sets after the run in `since`, in order. Without `since`, the response has the snapshot to start from, and no sets. Follow `next` for more sets.',
    status: '200',
    response: 'The change sets after a run, or the snapshot to start from',
    schema: 'Changes',
    example: changesExample,
    problems: ['invalid-request', 'not-found', 'changes-expired', 'internal-error', 'response-too-large'],
    requestHeaders: ['if-none-match'],
    headers: { etag: { description: 'The tip, in double quotes', schema: { type: 'string' } } },
    otherResponses: {
      '304': { description: 'The tip has not changed since the response with the ETag in If-None-Match' },
    },
  },
}

export function syncRoute(
  { name, method, path, scope, query }: SyncRoute,
  { entities, auth }: DescribedApi,
): DescribedRoute {
  const { summary, description, status, response, schema, example, problems, ...more } = descriptions[name]
  const { requestBody, requestHeaders = [], headers, otherResponses } = more
  const parameters = [
    ...(path.includes('{entity}') ? [syncEntityParameter(entities.map((entity) => entity.name))] : []),
    ...(path.includes('{runId}') ? [syncRun] : []),
    ...queryParameters(query),
    ...headerParameters(requestHeaders),
  ]
  return {
    method,
    path,
    scope,
    operation: {
      operationId: operationIdOf(name),
      tags: ['syncs'],
      summary,
      description,
      ...(parameters.length > 0 && { parameters }),
      ...(requestBody && { requestBody }),
      responses: {
        [status]: {
          description: response,
          ...(headers && { headers }),
          content: { 'application/json': { schema: schemaRef(schema), example } },
        },
        ...otherResponses,
        ...ownFailures(problems, auth.type),
      },
    },
  }
}
