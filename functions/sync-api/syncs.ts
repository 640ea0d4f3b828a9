import { ProblemError } from '../http/problem.ts'
import { describeError, type Log } from '../runtime/log.ts'
import type { EntitySettings, Settings } from '../runtime/settings.ts'
import { claimEntity } from '../state/claim.ts'
import { progressOf } from '../state/page.ts'
import { cancellableStatuses, hasEnded, newRun, newRunId, type Run, runIdPattern } from '../state/run.ts'
import type { SnapshotStore } from '../state/snapshots.aws.ts'
import type { StateStore } from '../state/sync-state.aws.ts'
import type { ExecutionStore } from './executions.aws.ts'
import type { SignLink } from './links.aws.ts'
import { entityView, type RunView, runView } from './views.ts'

export interface SyncsWorld {
  readonly settings: Settings
  readonly state: StateStore
  readonly snapshots: Pick<SnapshotStore, 'readManifest'>
  readonly executions: ExecutionStore
  readonly signLink: SignLink
  readonly log: Log
  readonly now: () => number
}

const shownRuns = 10

/** What callers can do with syncs. Everything that cannot be done is a `ProblemError`. */
export function createSyncs(world: SyncsWorld) {
  const { settings, state, snapshots, executions, signLink, log, now } = world

  const configured = (name: string): EntitySettings => {
    const entity = settings.entities.find((one) => one.name === name)
    if (entity) return entity
    const known = settings.entities.map((one) => one.name).join(', ') || 'none'
    throw new ProblemError('not-found', `This entity is not configured. Configured are: ${known}.`)
  }
  const foundRun = async (entity: EntitySettings, runId: string): Promise<Run> => {
    // What is no id may be longer than a key of the table can be.
    const run = runIdPattern.test(runId) ? await state.readRun(entity.name, runId) : undefined
    if (run) return run
    throw new ProblemError('not-found', 'There is no such run. Runs are kept for 30 days after their end.')
  }
  const view = async (run: Run): Promise<RunView> =>
    runView(run, hasEnded(run) ? undefined : await state.lastPage(run.runId, run.attempt))
  const viewEntity = async (entity: EntitySettings) => {
    const [{ latest, lease }, runs] = await Promise.all([
      state.readEntity(entity.name),
      state.listRuns(entity.name, shownRuns).then((found) => Promise.all(found.map(view))),
    ])
    // A long run is older than the many starts that were skipped for its sake.
    const isShown = runs.some((run) => run.runId === lease?.runId)
    const older = lease && !isShown ? await state.readRun(entity.name, lease.runId) : undefined
    const running = older && !hasEnded(older) ? await view(older) : runs.find((run) => !hasEnded(run))
    return entityView(entity, { latest, running, runs })
  }

  return {
    list: async () => ({ entities: await Promise.all(settings.entities.map(viewEntity)) }),

    read: (entity: string) => viewEntity(configured(entity)),

    readRun: async (entity: string, runId: string) => view(await foundRun(configured(entity), runId)),

    /** Begins a run, which can be looked at from here on, and starts the execution that drives it. */
    async start(name: string, { acceptShrink }: { acceptShrink: boolean }): Promise<Run> {
      const entity = configured(name)
      const runId = newRunId(now())
      const { claim, pageSize } = await claimEntity(state, name, {
        runId,
        worker: `start#${runId}`,
        direct: false,
        handedOff: true,
        now,
      })
      if (claim.kind === 'skip') {
        const detail = 'Wait for its end, or cancel it with DELETE at its address below /syncs.'
        throw new ProblemError('sync-running', detail, { runId: claim.runId })
      }
      const begun = newRun({ runId, entity, acceptShrink, now: now(), pageSize })
      const run: Run = { ...begun, execution: await executions.arnOf(runId) }
      await state.createRun(run)
      try {
        await executions.start(runId, { entity: name, runId, ...(acceptShrink && { acceptShrink }) })
      } catch (error) {
        await end(run, 'failed', 'The state machine could not be started. Start the sync again.')
        throw error
      }
      return run
    },

    /** Ends a run. The state machine stops at once, its worker within 20 seconds; it can publish nothing any more. */
    async cancel(name: string, runId: string): Promise<RunView> {
      const run = await foundRun(configured(name), runId)
      if (!(await end(run, 'cancelled', 'Cancelled by a caller.'))) {
        const { status } = await foundRun(configured(name), runId)
        const detail =
          status === 'publishing'
            ? 'The run is whole and being published; that cannot be stopped any more.'
            : `The run has the status ${status} already, so there is nothing to cancel.`
        throw new ProblemError('run-ended', detail, { runId, runStatus: status })
      }
      if (run.execution) {
        await executions.stop(run.execution, 'The run was cancelled.').catch((error: unknown) => {
          // The worker's next answer ends the execution too.
          log('ERROR', 'The execution of a cancelled run could not be stopped.', {
            entity: name,
            runId,
            error: describeError(error),
          })
        })
      }
      return view(await foundRun(configured(name), runId))
    },

    /** The manifest of the published snapshot, with a link to each page. */
    async snapshot(name: string) {
      const entity = configured(name)
      const { latest } = await state.readEntity(entity.name)
      const manifest = latest && (await snapshots.readManifest(entity.name, latest.runId))
      if (!manifest) {
        throw new ProblemError(
          'not-found',
          'Nothing has been published yet. Start a sync with POST /syncs/{entity}.',
        )
      }
      const pages = await Promise.all(
        manifest.pages.map(async (page) => ({ ...page, link: await signLink(page.key) })),
      )
      return { ...manifest, pages }
    },
  }

  async function end(run: Run, status: 'cancelled' | 'failed', reason: string): Promise<boolean> {
    const time = new Date(now()).toISOString()
    const progress = progressOf(await state.lastPage(run.runId, run.attempt))
    const ended = await state.endRun(
      {
        ...run,
        status,
        reason,
        updatedAt: time,
        endedAt: time,
        ...progress,
      },
      cancellableStatuses,
    )
    if (!ended) return false
    await state.release(run.entity, run.runId)
    return true
  }
}

export type Syncs = ReturnType<typeof createSyncs>
