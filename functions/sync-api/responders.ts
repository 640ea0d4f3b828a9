import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Run } from '../../stored/run/run.ts'
import { callerName } from '../http/caller.ts'
import { requestBody } from '../http/request-body.ts'
import { configuredEntity, ProblemError } from '../http/result.ts'
import type { SyncRouteName } from '../http/sync-routes.ts'
import type { LookStore } from '../problems/look-items.ts'
import type { Problem } from '../problems/problem.ts'
import type { OpenProblem } from '../problems/problem-events.ts'
import { inOrder } from '../problems/problems.ts'
import { type AcceptContext, acceptRun } from '../syncs/accept-run.ts'
import { createSyncs, type SyncsContext } from '../syncs/syncs.ts'
import { namesETag } from './published/etag.ts'
import type { ChangesContext } from './published/published-changes.ts'
import { hasEverything, readChainToServe, readChanges, readPosition } from './published/published-changes.ts'
import type { PublishedTableContext } from './published/published-entity.ts'
import { readPublishedTable, readPublishedTip } from './published/published-entity.ts'
import { readPublishedSnapshot, type SnapshotContext } from './published/published-snapshot.ts'
import { readAcceptBody, readStartBody } from './request-bodies.ts'

export type SyncResponse = JsonResponse | { readonly status: 304; readonly etag: string }

export interface JsonResponse {
  readonly status: 200 | 202
  /** Sent as JSON. */
  readonly body: unknown
  /** The run that the request started or cancelled, for the log. */
  readonly runId?: string
  readonly etag?: string
}

/** Makes the response of each route. Throws `ProblemError`. */
export type Responders = Readonly<
  Record<
    SyncRouteName,
    (event: APIGatewayProxyEventV2, query: ReadonlyMap<string, string>) => Promise<SyncResponse>
  >
>

type Context = SyncsContext &
  AcceptContext &
  SnapshotContext &
  ChangesContext &
  PublishedTableContext & { readonly looks: Pick<LookStore, 'readLook' | 'readWholeLook'> }

/** The id belongs to the events of a problem. */
const shown = ({ id: _id, ...problem }: OpenProblem): Problem => problem

export function createResponders(context: Context): Responders {
  const syncs = createSyncs(context)
  const { looks, settings } = context
  const ok = (body: unknown): JsonResponse => ({ status: 200, body })
  const entityOf = (event: APIGatewayProxyEventV2) =>
    configuredEntity(settings.entities, pathValue(event, 'entity'))

  return {
    async 'list-syncs'() {
      const names = settings.entities.map(({ name }) => name)
      const [list, look] = await Promise.all([syncs.list(), looks.readWholeLook(names)])
      return ok({ ...list, problems: inOrder(look.problems).map(shown), problemsAt: look.problemsAt })
    },

    async 'read-sync'(event) {
      const entity = entityOf(event)
      const [view, tip, table, { problems, problemsAt }] = await Promise.all([
        syncs.read(entity.name),
        readPublishedTip(context, entity),
        readPublishedTable(context, entity),
        looks.readLook([entity.name]),
      ])
      const own = problems.filter((problem) => problem.entity === entity.name)
      return ok({ ...view, tip, table, problems: own.map(shown), problemsAt })
    },

    'read-run': async (event) =>
      ok(await syncs.readRun(pathValue(event, 'entity'), pathValue(event, 'runId'))),

    async 'start-sync'(event) {
      const entity = entityOf(event).name
      const { kind, runId } = await syncs.start(entity, readStartBody(requestBody(event)))
      if (kind === 'already-running') throw alreadyRunning(event, { entity, runId })
      return startedRun(event, { entity, runId })
    },

    async 'cancel-run'(event) {
      const runId = pathValue(event, 'runId')
      return { status: 202, body: await syncs.cancel(pathValue(event, 'entity'), runId), runId }
    },

    async 'accept-run'(event) {
      const entity = entityOf(event)
      const runId = pathValue(event, 'runId')
      const accepts = readAcceptBody(requestBody(event))
      const running = await acceptRun(context, { ...accepts, entity, runId, by: callerName(event) })
      if (running !== undefined) throw alreadyRunning(event, { entity: entity.name, runId: running })
      return startedRun(event, { entity: entity.name, runId })
    },

    'read-snapshot': async (event, query) =>
      ok(await readPublishedSnapshot(context, entityOf(event), query.get('cursor'))),

    async 'read-changes'(event, query) {
      const entity = entityOf(event)
      const position = readPosition(query)
      const chain = await readChainToServe(context, entity)
      const etag = etagOf(chain.chain.tip)
      const isCurrent = namesETag(event.headers['if-none-match'], etag) && hasEverything(chain, position)
      if (isCurrent) return { status: 304, etag }
      const body = await readChanges(context, chain, position)
      return { ...ok(body), etag: etagOf(body.tip) }
    },
  }
}

const etagOf = (runId: string) => `"${runId}"`

const pathValue = ({ pathParameters }: APIGatewayProxyEventV2, name: string): string =>
  pathParameters?.[name] ?? ''

type RunOfEntity = Pick<Run, 'entity' | 'runId'>

function startedRun(event: APIGatewayProxyEventV2, { entity, runId }: RunOfEntity): JsonResponse {
  return { status: 202, body: { runId, entity, statusUrl: runUrl(event, { entity, runId }) }, runId }
}

function alreadyRunning(event: APIGatewayProxyEventV2, run: RunOfEntity): ProblemError {
  const detail = 'Wait until it ends, or cancel it by sending DELETE to its statusUrl.'
  return new ProblemError('sync-running', detail, { runId: run.runId, statusUrl: runUrl(event, run) })
}

/** The absolute URL of a run, under the host of the caller's request. */
function runUrl({ headers, requestContext }: APIGatewayProxyEventV2, run: RunOfEntity): string {
  const { domainName, stage } = requestContext
  const prefix = stage === '$default' ? '' : `/${stage}`
  const path = `${prefix}/syncs/${encodeURIComponent(run.entity)}/runs/${run.runId}`
  return `${headers['x-forwarded-proto'] ?? 'https'}://${domainName}${path}`
}
