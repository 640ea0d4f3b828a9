import { ProblemError } from '../http/problem.ts'
import { describeError, type Log } from '../runtime/log.ts'
import { mapPooled } from '../runtime/map-pooled.ts'
import type { EntitySettings, Settings } from '../runtime/settings.ts'
import type { RecordedProgress } from '../state/lease/entity-items.ts'
import type { ScrollPosition } from '../state/pages/page.ts'
import { positionsOf, recordedPositions } from '../state/run/attempts.ts'
import { hasEnded, type Run } from '../state/run/run.ts'
import type { StateStore } from '../state/sync-state.ts'
import { endFromOutside } from './end-run.ts'
import { configuredEntity, existingRun } from './entities.ts'
import type { ExecutionStore } from './executions.aws.ts'
import { type EntityView, entityView, type RunView, runView } from './views.ts'

export interface SyncsContext {
  readonly settings: Pick<Settings, 'entities'>
  readonly state: StateStore
  readonly executions: Pick<ExecutionStore, 'stop'>
  readonly log: Log
  readonly now: () => number
}

/** Of each entity: fewer in the list of all, so that a response with 400 entities stays small. */
const listedRuns = { ofEach: 3, ofOne: 10 }
/** Fewer than the sockets of the table's client: its time limit for connections includes the wait for a socket. */
const maxConcurrentReads = 16

type Positions = readonly (ScrollPosition | undefined)[]
type PositionsOf = (run: Run, recorded: RecordedProgress | undefined) => Positions | Promise<Positions>

/** Reads and cancels syncs. Throws `ProblemError` for everything that cannot be done. */
export function createSyncs(context: SyncsContext) {
  const { settings, state, executions, log, now } = context
  const entityNamed = (name: string) => configuredEntity(settings.entities, name)

  const committedPositions: PositionsOf = (run) => positionsOf(state, run)
  const viewBy = async (positions: PositionsOf, run: Run, recorded?: RecordedProgress): Promise<RunView> =>
    runView(run, hasEnded(run) ? [] : await positions(run, recorded))
  const view = (run: Run) => viewBy(committedPositions, run)
  const viewEntities = async (
    entities: readonly EntitySettings[],
    { positions, runs: limit }: { positions: PositionsOf; runs: number },
  ) => {
    const states = await state.readEntities(entities.map(({ name }) => name))
    const listed = await mapPooled(entities, maxConcurrentReads, ({ name }) => state.listRuns(name, limit))
    // The running run may be older than the listed ones, since skipped starts are runs too.
    const unlisted = entities.flatMap(({ name: entity }, index) => {
      const runId = states[index]?.lease?.runId
      return runId && !listed[index]?.some((run) => run.runId === runId) ? [{ entity, runId }] : []
    })
    const older = new Map((await state.readRuns(unlisted)).map((run) => [run.entity, run]))
    const viewed = entities.map(async (entity, index) => {
      const { latest, progress } = states[index] ?? {}
      const viewRun = (run: Run) => viewBy(positions, run, progress)
      const runs = await Promise.all((listed[index] ?? []).map(viewRun))
      const leased = older.get(entity.name)
      const running = leased && !hasEnded(leased) ? await viewRun(leased) : runs.find((run) => !hasEnded(run))
      return entityView(entity, { latest, running, runs })
    })
    return Promise.all(viewed)
  }

  return {
    /** The progress of running runs is as of their last record, so that an entity needs at most two reads. */
    list: async () => {
      const shown = { positions: recordedPositions, runs: listedRuns.ofEach }
      return { entities: await viewEntities(settings.entities, shown) }
    },

    read: async (name: string) => {
      const shown = { positions: committedPositions, runs: listedRuns.ofOne }
      const [view] = await viewEntities([entityNamed(name)], shown)
      return view as EntityView
    },

    /** The last runs, the newest first. */
    listRuns: async (entity: string, limit: number) =>
      Promise.all((await state.listRuns(entityNamed(entity).name, limit)).map(view)),

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
