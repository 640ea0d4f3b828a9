import type { EntityState } from '../../stored/entity-items.ts'
import { inUse } from '../../stored/lease.ts'
import type { RecordedProgress, ScrollPosition } from '../../stored/pages/page.ts'
import { pauseOf } from '../../stored/pause.ts'
import { positionsOf, recordedPositions } from '../../stored/run/attempts.ts'
import type { StartedJob } from '../../stored/run/job.ts'
import { hasEnded, type Run, runIdPattern } from '../../stored/run/run.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import { type EntityView, entityView, incrementsView, type RunView, runView } from '../../stored/views.ts'
import { configuredEntity, ProblemError } from '../http/result.ts'
import { describeError, type Log } from '../runtime/log.ts'
import type { EntitySettings, Settings } from '../runtime/settings.ts'
import { pageTimesOf } from '../story/page-times.ts'
import { type Story, storyOf } from '../story/story.ts'
import { endFromOutside } from './end-run.ts'
import type { ExecutionStore } from './executions.aws.ts'
import { type Start, startSync } from './start-sync.ts'

export interface SyncsContext {
  readonly settings: Pick<Settings, 'entities'>
  readonly state: StateStore
  readonly executions: ExecutionStore
  readonly log: Log
  readonly now: () => number
}

/** Only a run that has an item can be cancelled. */
export interface RunInProgress {
  readonly runId: string
  readonly hasItem: boolean
}

/** The last runs of one entity. */
const shownRuns = 10

type Positions = readonly (ScrollPosition | undefined)[]
type PositionsOf = (run: Run, recorded: RecordedProgress | undefined) => Positions | Promise<Positions>

/** Starts, reads and cancels syncs. Throws `ProblemError` for everything that cannot be done. */
export function createSyncs(context: SyncsContext) {
  const { settings, state, executions, log, now } = context
  const entityNamed = (name: string) => configuredEntity(settings.entities, name)

  const committedPositions: PositionsOf = (run) => positionsOf(state, run)
  const viewBy = async (positions: PositionsOf, run: Run, recorded?: RecordedProgress): Promise<RunView> =>
    runView(run, hasEnded(run) ? [] : await positions(run, recorded))
  const view = (run: Run) => viewBy(committedPositions, run)
  /** `runs`: the newest first. A running run may be older than those that are shown, since skipped starts are runs too. */
  const viewEntity = async (
    entity: EntitySettings,
    entityState: EntityState,
    { runs, positions }: { runs: readonly Run[]; positions: PositionsOf },
  ): Promise<EntityView> => {
    const { latest, lease, progress, increments: status } = entityState
    const views = await Promise.all(runs.map((run) => viewBy(positions, run, progress)))
    return entityView(entity, {
      pause: pauseOf(entity, entityState, now()) ?? null,
      running: views.find((run) => run.runId === lease?.runId && !hasEnded(run)) ?? null,
      snapshot: latest ?? null,
      runs: views.slice(0, shownRuns),
      increments: incrementsView(entity, status, now()),
    })
  }

  /** An entity whose state is known, or being read. */
  async function readWith(name: string, known: EntityState | Promise<EntityState>): Promise<EntityView> {
    const entity = entityNamed(name)
    const [entityState, runs] = await Promise.all([known, state.listRuns(name, shownRuns)])
    const leased = entityState.lease?.runId
    const isListed = leased === undefined || runs.some(({ runId }) => runId === leased)
    const older = isListed ? undefined : await state.readRun(name, leased)
    const shown = { runs: older ? [...runs, older] : runs, positions: committedPositions }
    return viewEntity(entity, entityState, shown)
  }

  return {
    /** Entities and runs are read by key, a hundred in a request. The progress of running runs is as of their last record. */
    async list() {
      const states = await state.readEntities(settings.entities.map(({ name }) => name))
      const recent = settings.entities.flatMap(({ name: entity }, index) =>
        (states[index]?.recentRuns ?? []).map((runId) => ({ entity, runId })),
      )
      const runs = Map.groupBy(await state.readRuns(recent), ({ entity }) => entity)
      const views = settings.entities.map((entity, index) => {
        const shown = { runs: runs.get(entity.name) ?? [], positions: recordedPositions }
        return viewEntity(entity, states[index] ?? {}, shown)
      })
      return { entities: await Promise.all(views) }
    },

    read: async (name: string): Promise<EntityView> =>
      readWith(name, state.readEntity(entityNamed(name).name)),

    readWith,

    /** The last runs with their stories, the newest first. */
    listRuns: async (entity: string, limit: number) =>
      Promise.all(
        (await state.listRuns(entityNamed(entity).name, limit)).map(async (run) => ({
          ...(await view(run)),
          story: storyOf(run, { now: now() }),
        })),
      ),

    /** The last increments that delivered something, failed or began to be skipped, the newest first. */
    listIncrements: async (entity: string, limit: number) =>
      Promise.all((await state.listIncrements(entityNamed(entity).name, limit)).map(view)),

    async readStory(entity: string, runId: string): Promise<Story> {
      const run = await existingRun(state, entityNamed(entity), runId)
      return storyOf(run, { now: now(), pages: pageTimesOf(await positionsOf(state, run)) })
    },

    readRun: async (entity: string, runId: string) =>
      view(await existingRun(state, entityNamed(entity), runId)),

    /** The run in progress, of any kind; null if there is none. An increment that a schedule started has no item yet. */
    async readRunning(name: string): Promise<RunInProgress | null> {
      const { lease } = await state.readEntity(entityNamed(name).name)
      if (!lease) return null
      const { runId } = lease
      const run = await state.findRun(name, runId)
      if (run) return hasEnded(run) ? null : { runId, hasItem: true }
      return lease.kind === 'increment' && inUse(lease, now()) ? { runId, hasItem: false } : null
    },

    /** Starts a run, unless another one of the entity is in progress. */
    start: (name: string, job: StartedJob): Promise<Start> => startSync(context, entityNamed(name), job),

    /** Cancels a run: it can no longer publish anything. Its execution is stopped, and its worker stops within seconds. */
    async cancel(name: string, runId: string): Promise<RunView> {
      const entity = entityNamed(name)
      const run = await existingRun(state, entity, runId)
      const end = { status: 'cancelled', reason: 'Cancelled by a caller.' } as const
      if (!(await endFromOutside({ state, now }, run, end))) {
        const { status } = await existingRun(state, entity, runId)
        const detail =
          status === 'publishing'
            ? 'The run is complete and is being published, which cannot be stopped.'
            : `The run has already ended with the status ${status}.`
        throw new ProblemError('run-ended', detail, { runId, runStatus: status })
      }
      if (run.execution) {
        await executions.stop(run.execution, 'The run was cancelled.').catch((error: unknown) => {
          // The worker's next response ends the execution too.
          const fields = { entity: name, runId, error: describeError(error) }
          log('ERROR', 'cannot stop the execution of a cancelled run', fields)
        })
      }
      return view(await existingRun(state, entity, runId))
    },
  }
}

export type Syncs = ReturnType<typeof createSyncs>

/** A run of an entity. Throws `ProblemError` if there is none. */
export async function existingRun(
  state: Pick<StateStore, 'findRun'>,
  entity: EntitySettings,
  runId: string,
): Promise<Run> {
  // A malformed id may be longer than a key of the table can be.
  const run = runIdPattern.test(runId) ? await state.findRun(entity.name, runId) : undefined
  if (run) return run
  throw new ProblemError('not-found', 'This run does not exist. Runs are kept for 30 days after they end.')
}
