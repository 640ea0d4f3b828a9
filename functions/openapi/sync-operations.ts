import type { ProblemName } from '../http/problem.ts'
import type { SyncRoute } from '../sync-api/routes.ts'
import { ownFailures } from './answers.ts'
import { type DescribedRoute, type Operation, operationIdOf, schemaRef } from './openapi-form.ts'
import { queryParameters, syncEntity, syncRun } from './parameters.ts'
import { syncExamples } from './sync-schemas.ts'

interface Description {
  readonly summary: string
  readonly status: '200' | '202'
  readonly answer: string
  readonly schema: string
  readonly example: unknown
  readonly problems: readonly ProblemName[]
  readonly requestBody?: Operation['requestBody']
}

const descriptions: Readonly<Record<SyncRoute['name'], Description>> = {
  'list-syncs': {
    summary: 'List all synced entities',
    status: '200',
    answer: 'The configured entities',
    schema: 'SyncedEntities',
    example: syncExamples.entities,
    problems: ['invalid-request', 'internal-error', 'answer-too-large'],
  },
  'read-sync': {
    summary: 'Read the syncs of an entity',
    status: '200',
    answer: 'The entity with its last runs',
    schema: 'SyncedEntity',
    example: syncExamples.entity,
    problems: ['invalid-request', 'not-found', 'internal-error'],
  },
  'start-sync': {
    summary: 'Start a sync',
    status: '202',
    answer: 'The started run',
    schema: 'StartedRun',
    example: syncExamples.started,
    problems: ['invalid-request', 'not-found', 'sync-running', 'internal-error'],
    requestBody: {
      required: false,
      content: { 'application/json': { schema: schemaRef('StartOptions'), example: { acceptShrink: true } } },
    },
  },
  'read-run': {
    summary: 'Read a run',
    status: '200',
    answer: 'The run',
    schema: 'Run',
    example: syncExamples.run,
    problems: ['invalid-request', 'not-found', 'internal-error'],
  },
  'cancel-run': {
    summary: 'Cancel a run',
    status: '202',
    answer: 'The cancelled run',
    schema: 'Run',
    example: syncExamples.cancelled,
    problems: ['invalid-request', 'not-found', 'run-ended', 'internal-error'],
  },
  'read-snapshot': {
    summary: 'Read the published snapshot of an entity',
    status: '200',
    answer: 'The manifest with a link to each page, at most 1,000 pages',
    schema: 'Snapshot',
    example: syncExamples.snapshot,
    problems: ['invalid-request', 'not-found', 'internal-error', 'answer-too-large'],
  },
}

export function syncRoute(
  { name, method, path, scope, query }: SyncRoute,
  settings: { readonly entities: readonly string[]; readonly auth: 'iam' | 'jwt' },
): DescribedRoute {
  const { summary, status, answer, schema, example, problems, requestBody } = descriptions[name]
  const parameters = [
    ...(path.includes('{entity}') ? [syncEntity(settings.entities)] : []),
    ...(path.includes('{runId}') ? [syncRun] : []),
    ...queryParameters(query, false),
  ]
  return {
    method,
    path,
    scope,
    operation: {
      operationId: operationIdOf(name),
      tags: ['syncs'],
      summary,
      ...(parameters.length > 0 && { parameters }),
      ...(requestBody && { requestBody }),
      responses: {
        [status]: {
          description: answer,
          content: { 'application/json': { schema: schemaRef(schema), example } },
        },
        ...ownFailures(problems, settings.auth),
      },
    },
  }
}
