import { type Pause, pauseInForce } from '../../stored/pause.ts'
import { operatorName } from '../deployment/caller.aws.ts'
import type { Deployment, Target } from '../deployment/deployment.ts'
import { findSchedules, requireScheduled } from '../deployment/find-schedule.ts'
import { createScheduleStore, type ExistingSchedule } from '../deployment/schedule-store.aws.ts'
import { UsageError } from '../errors.ts'
import { readUntil } from '../text/time.ts'
import { openState } from './syncs.ts'

export interface Paused {
  readonly deployment: Deployment
  readonly target: Target
  readonly entity: string
}

/** The options of a pause, as they were typed. */
export interface PauseOptions {
  readonly reason?: string | undefined
  readonly until?: string | undefined
}

export interface PauseChange {
  /** The pause that is stored now; undefined if there is none. */
  readonly pause: Pause | undefined
  readonly before: Pause | undefined
  /** Schedules that were disabled, as `pause` of 1.0.0 did. The end of a pause would not enable them. */
  readonly enabled: readonly ExistingSchedule[]
}

const maxReason = 200

/**
 * Stores a pause with the entity, in place of the one that it has: schedules start nothing until its end, or until the
 * entity is resumed. Throws `UsageError` and `CommandError`.
 */
export async function pauseEntity(paused: Paused, options: PauseOptions): Promise<PauseChange> {
  const { deployment, entity } = paused
  const now = deployment.now()
  const reason = options.reason?.trim() || null
  if (reason && reason.length > maxReason)
    throw new UsageError(`--reason: the text has ${reason.length} characters. Use at most ${maxReason}.`)
  const until = options.until ? new Date(readUntil(options.until, now)).toISOString() : null
  const schedules = await schedulesOf(paused)
  const state = openState(deployment.table)
  const before = pauseInForce(await state.readEntity(entity), now)
  const since = before?.since ?? new Date(now).toISOString()
  const pause = { by: await operatorName(deployment), since, reason, until }
  await state.setPause(entity, pause)
  return { pause, before, enabled: await enable(schedules) }
}

/** Ends the pause of an entity, and enables its schedules if they are disabled. Throws `CommandError`. */
export async function resumeEntity(paused: Paused): Promise<PauseChange> {
  const { deployment, entity } = paused
  const now = deployment.now()
  const schedules = await schedulesOf(paused)
  const state = openState(deployment.table)
  const before = pauseInForce(await state.readEntity(entity), now)
  // Its end stays known: a schedule that has not started anything since then may still be in time.
  if (before) await state.setPause(entity, { ...before, until: new Date(now).toISOString() })
  return { pause: undefined, before, enabled: await enable(schedules) }
}

/** Those in the account. Those of `npm start` are never disabled. */
async function schedulesOf({ deployment, target, entity }: Paused): Promise<readonly ExistingSchedule[]> {
  if (target.kind === 'stacks') return findSchedules(entity, target)
  requireScheduled(deployment.configuration, entity)
  return []
}

async function enable(schedules: readonly ExistingSchedule[]): Promise<readonly ExistingSchedule[]> {
  const disabled = schedules.filter(({ enabled }) => !enabled)
  const store = createScheduleStore()
  for (const { id } of disabled) await store.enable(id)
  return disabled
}
