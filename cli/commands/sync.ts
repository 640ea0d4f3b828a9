import type { RunView } from '../../functions/sync-api/views.ts'
import { createExecutionStarter } from '../aws/executions.aws.ts'
import { findDeployment, longshoreCommand, requireEntity } from '../deployment.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import { CommandError, UsageError } from '../shell/errors.ts'
import { formatDocuments, formatRoughDuration } from '../shell/format.ts'
import { currentRun } from '../sync/current-run.ts'
import { partitionsRemark } from '../sync/run-bars.ts'
import { startRun } from '../sync/start.ts'
import { watchRun } from '../sync/watch.ts'
import { openSyncs } from '../syncs.ts'

export const syncCommand = defineCommand({
  name: 'sync',
  summary: 'Start a sync of an entity',
  entity: 'or-all',
  flags: {
    watch: { type: 'boolean', short: 'w', summary: 'Show progress until the run ends' },
    all: { type: 'boolean', summary: 'Sync every enabled entity' },
    'accept-shrink': {
      type: 'boolean',
      summary: 'Publish a snapshot that lost more than maxShrinkPercent of its documents',
    },
    'accept-deletes': {
      type: 'boolean',
      summary: 'Publish a change set that deletes more than maxDeletePercent of the documents',
    },
  },
  description: [
    'Starts an execution of the state machine and waits for its run to begin. The run uses the deployed configuration, ' +
      'not the local one.',
    'With --watch the exit code is 0 only if the snapshot is published; the change set follows afterwards. Ctrl-C stops watching, not the sync; run the ' +
      'same command to watch it again.',
  ],
  examples: [
    { purpose: 'Start a sync and show its progress', command: 'sync CL --watch' },
    { purpose: 'Start a sync of every enabled entity', command: 'sync --all' },
    {
      purpose: 'Publish after an intended deletion of many documents',
      command: 'sync CL --watch --accept-shrink --accept-deletes',
    },
  ],
  async run({ entity, values, target, terminal, signal }) {
    const acceptShrink = values['accept-shrink']
    const acceptDeletes = values['accept-deletes']
    const isAccepting = acceptShrink || acceptDeletes
    if (values.all && isAccepting) {
      throw new UsageError('--accept-shrink and --accept-deletes need one entity, not --all.')
    }
    const deployment = await findDeployment(target)
    const { entities } = deployment.configuration
    if (!values.all) requireEntity(deployment.configuration, entity)
    const names = values.all ? entities.filter(({ enabled }) => enabled).map(({ name }) => name) : [entity]
    const syncs = openSyncs(deployment, terminal)
    const executions = createExecutionStarter(deployment.stateMachineArn)

    /** The new run, or the run in progress if it will do: no guard is overridden, and it is watched or part of --all. */
    async function startOrJoin(name: string): Promise<RunView> {
      const current = await currentRun(name, { deployment, syncs, executions })
      if (!current) {
        const input = {
          entity: name,
          ...(acceptShrink && { acceptShrink }),
          ...(acceptDeletes && { acceptDeletes }),
        }
        return startRun({ syncs, executions, signal }, input)
      }
      if (isAccepting || (!values.watch && !values.all)) {
        throw new CommandError(`Run ${current.runId} of ${name} is in progress. Wait for it, or cancel it.`)
      }
      terminal.note(`Run ${current.runId} of ${name} is already in progress.`)
      return current
    }

    const results: CommandResult[] = []
    const runs = await Promise.all(names.map(startOrJoin))
    for (const run of runs) {
      if (values.watch) results.push(endedResult(await watchRun({ syncs, terminal, signal }, run)))
      else if (run.status === 'skipped') results.push(endedResult(run))
      else results.push(startedResult(run, longshoreCommand(target, `sync ${run.entity} --watch`)))
    }
    return values.all ? combined(results) : (results[0] as CommandResult)
  },
})

function startedResult({ entity, runId }: RunView, watch: string): CommandResult {
  return {
    ok: true,
    text: `Started run ${runId} of ${entity}. To watch it: ${watch}`,
    data: { entity, runId },
  }
}

function endedResult(run: RunView): CommandResult {
  const duration = formatRoughDuration(Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt))
  if (run.status === 'published') {
    const text = `Published ${formatDocuments(run.documents)} of ${run.entity} in ${duration}; proof: ${run.proof}.`
    return { ok: true, text: [text, partitionsRemark(run)].filter(Boolean).join('\n'), data: run }
  }
  const reason = run.reason ? `: ${run.reason}` : '.'
  return { ok: false, text: `Run ${run.runId} of ${run.entity} ended as ${run.status}${reason}`, data: run }
}

function combined(results: readonly CommandResult[]): CommandResult {
  return {
    ok: results.every(({ ok }) => ok),
    text: results.map(({ text }) => text).join('\n') || 'No entity is enabled.',
    data: { runs: results.map(({ data }) => data) },
  }
}
