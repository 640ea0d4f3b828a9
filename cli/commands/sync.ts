import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { createExecutionStarter } from '../../operator/aws/executions.aws.ts'
import { findDeployment, longshoreCommand } from '../../operator/deployment/deployment.ts'
import { awaitRun } from '../../operator/sync/await-run.ts'
import { isDriven } from '../../operator/sync/is-driven.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import {
  allStartedResult,
  combinedResult,
  endedIncrement,
  endedResult,
  type StartedRun,
  startedIncrement,
  startedResult,
} from '../sync/results.ts'
import {
  entitiesToSync,
  inProgressError,
  jobOf,
  mayJoin,
  ofMany,
  requireConsistent,
  unreviewedWarning,
} from '../sync/sync-request.ts'
import { watchRun } from '../sync/watch.ts'

const maxConcurrentStarts = 24

export const syncCommand = defineCommand({
  name: 'sync',
  summary: 'Start syncs of entities',
  argument: '[ENTITY...]',
  options: {
    '-w, --watch': 'Show progress until the run ends',
    '--all': 'Sync every enabled entity',
    '--increment': 'Publish only what changed since the last increment, without a snapshot',
    '--accept-shrink': 'Publish a snapshot that lost more than maxShrinkPercent, unreviewed',
    '--accept-deletes': 'Publish a change set that deletes more than maxDeletePercent, unreviewed',
  },
  description: [
    'Runs use the deployed configuration. With --watch the exit code is 0 only if the snapshot is published, or the ' +
      'whole window of an increment was read; the change set follows. Ctrl-C stops watching, not the sync.',
  ],
  examples: {
    'sync CL --watch': 'Start a sync and show its progress',
    'sync CL AD': 'Start syncs of two entities',
    'sync --all': 'Start a sync of every enabled entity',
    'sync CL --increment --watch': 'Publish what changed since the last increment',
    'sync CL --watch --accept-shrink --accept-deletes':
      'Publish after an intentional deletion of many documents',
  },
  async run({ entity, args, values, target, terminal, pause, signal }) {
    const request = { ...values, entities: args }
    const { watch } = values
    requireConsistent(request)
    const deployment = await findDeployment(target)
    const names = entitiesToSync(request, deployment.configuration)
    const warning = unreviewedWarning(values, longshoreCommand(target, `review ${entity}`))
    if (warning !== undefined) terminal.note(warning)
    const syncs = openSyncs(deployment, terminal)
    const executions = createExecutionStarter(deployment.stateMachineArn)

    /** The new run, or the run in progress if it will do. */
    async function startOrJoin(name: string): Promise<StartedRun> {
      const { kind, runId } = await syncs.start(name, jobOf(values))
      const run = { entity: name, runId }
      if (kind === 'started') return run
      if (!mayJoin(request) || !(await isDriven(run, { ...deployment, executions })))
        throw inProgressError(run, target)
      terminal.note(`Run ${runId} of ${name} is already in progress.`)
      return run
    }

    const results: CommandResult[] = []
    const runs = await mapPooled(names, maxConcurrentStarts, startOrJoin)
    if (ofMany(request) && !watch) return allStartedResult(runs, target)
    for (const run of runs) {
      if (values.increment) {
        if (!watch) return startedIncrement(run, target)
        return endedIncrement(await awaitRun({ syncs, pause, signal }, run), target)
      }
      if (watch) results.push(endedResult(await watchRun({ syncs, terminal, pause, signal }, run), target))
      else results.push(startedResult(run, target))
    }
    return ofMany(request) ? combinedResult(results) : (results[0] as CommandResult)
  },
})
