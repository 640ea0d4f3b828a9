import { ProblemError } from '../http/problem.ts'
import { describeError, type Log } from '../runtime/log.ts'
import type { EntitySettings, Settings } from '../runtime/settings.ts'
import { positionsOf } from '../state/run/attempts.ts'
import { hasEnded, type Run } from '../state/run/run.ts'
import type { StateStore } from '../state/sync-state.aws.ts'
import { endFromOutside } from './end-run.ts'
import { configuredEntity, existingRun } from './entities.ts'
import type { ExecutionStore } from './executions.aws.ts'
import { entityView, type RunView, runView } from './views.ts'

export interface SyncsContext {
  readonly settings: Pick<Settings, 'entities'>
  readonly state: StateStore
  readonly executions: Pick<ExecutionStore, 'stop'>
  readonly log: Log
  readonly now: () => number
}

const listedRuns = 10

/** Reads and cancels syncs. Throws `ProblemError` for everything that cannot be done. */
export function createSyncs(context: SyncsContext) {
  const { settings, state, executions, log, now } = context
  const entityNamed = (name: string) => configuredEntity(settings.entities, name)

  const view = async (run: Run): Promise<RunView> =>
    runView(run, hasEnded(run) && run.partitions.kind !== 'ranges' ? [] : await positionsOf(state, run))
  const listRuns = async (entity: string, limit: number) =>
    Promise.all((await state.listRuns(entity, limit)).map(view))
  const viewEntity = async (entity: EntitySettings) => {
    const [{ latest, lease }, runs] = await Promise.all([
      state.readEntity(entity.name),
      listRuns(entity.name, listedRuns),
    ])
    // The running run may be older than the listed ones, since skipped starts are runs too.
    const isListed = runs.some((run) => run.runId === lease?.runId)
    const older = lease && !isListed ? await state.readRun(entity.name, lease.runId) : undefined
    const running = older && !hasEnded(older) ? await view(older) : runs.find((run) => !hasEnded(run))
    return entityView(entity, { latest, running, runs })
  }

  return {
    list: async () => ({ entities: await Promise.all(settings.entities.map(viewEntity)) }),

    read: async (entity: string) => viewEntity(entityNamed(entity)),

    /** The last runs, the newest first. */
    listRuns: async (entity: string, limit: number) => listRuns(entityNamed(entity).name, limit),

    readRun: async (entity: string, runId: string) =>
      view(await existingRun(state, entityNamed(entity), runId)),

    /** Cancels a run: it can no longer publish anything. Its execution is stopped, and its worker stops within seconds. */
    async cancel(name: string, runId: string): Promise<RunView> {
      const entity = entityNamed(name)
      const run = await existingRun(state, entity, runId)
      const cancelled = await endFromOutside({ state, now }, run, {
        status: 'cancelled',
        reason: 'Cancelled by a caller.',
      })
      if (!cancelled) {
        const { status } = await existingRun(state, entity, runId)
        const detail =
          status === 'publishing'
            ? 'The run is complete and is being published, which cannot be stopped.'
            : `The run has already ended with the status ${status}.`
        throw new ProblemError('run-ended', detail, { runId, runStatus: status })
      }
      if (run.execution) {
        await executions.stop(run.execution, 'The run was cancelled.').catch((error: unknown) => {
          // The worker's next answer ends the execution too.
          log('ERROR', 'cannot stop the execution of a cancelled run', {
            entity: name,
            runId,
            error: describeError(error),
          })
        })
      }
      return view(await existingRun(state, entity, runId))
    },
  }
}

export type Syncs = ReturnType<typeof createSyncs>
