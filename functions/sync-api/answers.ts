import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { ProblemError } from '../http/problem.ts'
import { requestBody } from '../http/request-body.ts'
import { configuredEntity } from './entities.ts'
import { readPublishedSnapshot, type SnapshotContext } from './published-snapshot.ts'
import type { SyncRouteName } from './routes.ts'
import { readStartBody } from './start-body.ts'
import { type StartContext, startSync } from './start-sync.ts'
import { createSyncs, type SyncsContext } from './syncs.ts'

export interface Answer {
  readonly status: number
  /** Sent as JSON. */
  readonly body: unknown
  /** The run that the request started or cancelled, for the log. */
  readonly runId?: string
}

/** How each route is answered. Throws `ProblemError`. */
export type Answers = Readonly<
  Record<
    SyncRouteName,
    (event: APIGatewayProxyEventV2, query: ReadonlyMap<string, string>) => Promise<Answer>
  >
>

export function createAnswers(context: SyncsContext & StartContext & SnapshotContext): Answers {
  const syncs = createSyncs(context)
  const ok = (body: unknown): Answer => ({ status: 200, body })

  return {
    'list-syncs': async () => ok(await syncs.list()),

    'read-sync': async (event) => ok(await syncs.read(pathValue(event, 'entity'))),

    'read-run': async (event) =>
      ok(await syncs.readRun(pathValue(event, 'entity'), pathValue(event, 'runId'))),

    async 'start-sync'(event) {
      const entity = configuredEntity(context.settings.entities, pathValue(event, 'entity'))
      const { kind, runId } = await startSync(context, entity, readStartBody(requestBody(event)))
      const statusUrl = runUrl(event, { entity: entity.name, runId })
      if (kind === 'started') return { status: 202, body: { runId, entity: entity.name, statusUrl }, runId }
      const detail = 'Wait until it ends, or cancel it with DELETE and its statusUrl.'
      throw new ProblemError('sync-running', detail, { runId, statusUrl })
    },

    async 'cancel-run'(event) {
      const runId = pathValue(event, 'runId')
      return { status: 202, body: await syncs.cancel(pathValue(event, 'entity'), runId), runId }
    },

    async 'read-snapshot'(event, query) {
      const entity = configuredEntity(context.settings.entities, pathValue(event, 'entity'))
      return ok(await readPublishedSnapshot(context, entity, query.get('cursor')))
    },
  }
}

function pathValue({ pathParameters }: APIGatewayProxyEventV2, name: string): string {
  return pathParameters?.[name] ?? ''
}

/** The absolute URL of a run, under the host of the caller's request. */
function runUrl(
  { headers, requestContext }: APIGatewayProxyEventV2,
  run: { readonly entity: string; readonly runId: string },
): string {
  const { domainName, stage } = requestContext
  const prefix = stage === '$default' ? '' : `/${stage}`
  const path = `${prefix}/syncs/${encodeURIComponent(run.entity)}/runs/${run.runId}`
  return `${headers['x-forwarded-proto'] ?? 'https'}://${domainName}${path}`
}
