import { createStateStore } from '../../functions/state/sync-state.aws.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { createExecutionStarter, type ExecutionStarter } from '../aws/executions.aws.ts'
import { type Deployment, findDeployment, longshoreCommand } from '../deployment.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import { CommandError } from '../shell/errors.ts'
import { formatDocuments, formatDuration } from '../shell/format.ts'
import { startRun } from '../sync/start.ts'
import { watchRun } from '../sync/watch.ts'
import { openSyncs, type Syncs } from '../syncs.ts'

export const syncCommand = defineCommand({
  name: 'sync',
  summary: 'Start a sync of an entity',
  takesEntity: true,
  flags: {
    watch: { type: 'boolean', short: 'w', summary: 'Show progress until the run ends' },
    'accept-shrink': {
      type: 'boolean',
      summary: 'Publish a snapshot that lost more than maxShrinkPercent of its documents',
    },
  },
  description: [
    'Starts an execution of the state machine and waits for its run to begin. The run uses the deployed configuration, ' +
      'not the local one.',
    'With --watch the exit code is 0 only if the snapshot is published. Ctrl-C stops watching, not the sync; run the ' +
      'same command to watch it again.',
  ],
  examples: [
    { purpose: 'Start a sync and show its progress', command: 'sync CL --watch' },
    {
      purpose: 'Publish after an intended deletion of many documents',
      command: 'sync CL --watch --accept-shrink',
    },
  ],
  async run({ entity, values, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const syncs = openSyncs(deployment, terminal)
    const executions = createExecutionStarter(deployment.stateMachineArn)
    const acceptShrink = values['accept-shrink']
    const current = await runInProgress(entity, { deployment, syncs, executions })
    if (current && (!values.watch || acceptShrink)) {
      throw new CommandError(`Run ${current.runId} of ${entity} is in progress. Wait for it, or cancel it.`)
    }
    if (current) terminal.note(`Run ${current.runId} of ${entity} is already in progress. Watching it.`)
    const input = { entity, ...(acceptShrink && { acceptShrink }) }
    const run = current ?? (await startRun({ syncs, executions, signal }, input))
    if (values.watch) return resultOf(await watchRun({ syncs, terminal, signal }, run))
    if (run.status === 'skipped') return resultOf(run)
    const text = `Started run ${run.runId}. To watch it: ${longshoreCommand(target, `sync ${entity} --watch`)}`
    return { ok: true, text, data: { entity, runId: run.runId } }
  },
})

/** The run that the state table has as running, unless its execution has ended: then the next run replaces it. */
async function runInProgress(
  entity: string,
  { deployment, syncs, executions }: { deployment: Deployment; syncs: Syncs; executions: ExecutionStarter },
): Promise<RunView | undefined> {
  const { running } = await syncs.read(entity)
  if (!running) return undefined
  const run = await createStateStore(deployment.table, awsClients.table()).readRun(entity, running.runId)
  if (!run?.execution) return running
  const state = await executions.read(run.execution)
  return state.kind === 'running' ? running : undefined
}

function resultOf(run: RunView): CommandResult {
  const duration = formatDuration(Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt))
  if (run.status === 'published') {
    const text = `Published ${formatDocuments(run.documents)} of ${run.entity} in ${duration}; proof: ${run.proof}.`
    return { ok: true, text, data: run }
  }
  const reason = run.reason ? `: ${run.reason}` : '.'
  return { ok: false, text: `Run ${run.runId} of ${run.entity} ended as ${run.status}${reason}`, data: run }
}
