import type { Deployment, Target } from '../../operator/deployment/deployment.ts'
import { findDeployment, longshoreCommand, requireEntity } from '../../operator/deployment/deployment.ts'
import { checkApi } from '../../operator/doctor/api-checks.ts'
import { checksOf, inspectionFrom } from '../../operator/doctor/checks.ts'
import type { Checked, Inspection } from '../../operator/doctor/finding.ts'
import { inspect } from '../../operator/doctor/inspect.ts'
import { runCheck } from '../../operator/doctor/live-checks.ts'
import { checkLiveTable } from '../../operator/doctor/table-checks.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import type { Waiting } from '../../operator/waiting.ts'
import type { Terminal } from '../shell/terminal.ts'
import { inProgressError } from '../sync/sync-request.ts'
import { watchRun } from '../sync/watch.ts'

export interface LiveRequest extends Waiting {
  readonly entity: string
  readonly yes: boolean
  readonly target: Target
  readonly terminal: Terminal
}

/** Calls the API, reads one typed table and makes one sync, after a question. Throws `UsageError`, `CommandError` and `Interrupted`. */
export async function runLive(request: LiveRequest): Promise<Inspection> {
  const { entity, target } = request
  if (target.kind === 'local') throw new UsageError('--live asks AWS, which npm start does not use.')
  const deployment = await findDeployment(target)
  requireEntity(deployment.configuration, entity)
  await confirm(request)
  const api = await inspect(() => checkApi(deployment, entity))
  // Before the sync, which may publish what the query counts.
  const table = await inspect(() => checkLiveTable(deployment, entity, request))
  const run = await inspect(() => checkSync(deployment, request))
  const checked = [
    ...checksOf('api', api, (found) => found),
    ...checksOf('tables', table, (found) => found),
    ...checksOf('runs', run, (found) => found),
  ]
  return inspectionFrom(checked, deployment.now())
}

async function confirm({ entity, yes, target, terminal }: LiveRequest): Promise<void> {
  if (yes) return
  const plan = `This starts a sync of ${entity}. If ${entity} has a typed table, a query in Athena reads all of it.`
  if (!terminal.isInteractive)
    throw new CommandError(plan, { fix: longshoreCommand(target, `doctor --live ${entity} --yes`) })
  if (!(await terminal.confirm(`${plan} Continue?`))) throw new CommandError('Nothing was started.')
}

async function checkSync(
  deployment: Deployment,
  { entity, target, terminal, pause, signal }: LiveRequest,
): Promise<Checked[]> {
  const syncs = openSyncs(deployment, terminal)
  const job = { kind: 'full', acceptShrink: false, acceptDeletes: false } as const
  const { kind, runId } = await syncs.start(entity, job)
  if (kind !== 'started') throw inProgressError({ entity, runId }, target)
  return [runCheck(await watchRun({ syncs, terminal, pause, signal }, { entity, runId }))]
}
