import { existsSync, readFileSync } from 'node:fs'
import * as v from 'valibot'
import { scheduledInput } from '../../functions/runtime/settings-schema/entity-schedules.ts'
import type { Configuration } from '../../lib/config.ts'
import { plannedSchedules } from '../../operator/deployment/planned-schedules.ts'
import type { invoke, LambdaHandler } from '../lambda.ts'
import { writeWholeFile } from '../lines-file.ts'
import type { Scheduled } from './scheduler.ts'

export interface ScheduleTargets {
  readonly startExecution: (input: object) => void
  readonly invoke: typeof invoke
  readonly worker: LambdaHandler
  readonly compare: LambdaHandler
  readonly tables: LambdaHandler
}

const timeLimitSeconds = 900

/** The schedules of a deployment with this configuration, with the same inputs. The look for problems has its own timer. */
export function localSchedules(
  configuration: Pick<Configuration, 'entities' | 'eraseWithinDays'>,
  startsAt: number,
  { startExecution, invoke, worker, compare, tables }: ScheduleTargets,
): Scheduled[] {
  /** A function logs why it failed, and the next run of its schedule repeats what it did not do. */
  const quietly = (handler: LambdaHandler, event: object) =>
    invoke(handler, event, timeLimitSeconds).catch(() => undefined)
  const entities = plannedSchedules(configuration, startsAt).map(({ entity, starts, ...schedule }) => {
    const input = scheduledInput(entity, starts)
    // An increment is one invocation.
    const start = async () => (starts === 'full' ? startExecution(input) : quietly(worker, input))
    return { ...schedule, start }
  })
  if (configuration.eraseWithinDays === undefined) return entities
  const daily = { expression: 'rate(1 day)', timezone: 'UTC', startsAt }
  const erasures = [compare, tables].map((task) => ({
    ...daily,
    start: () => quietly(task, { task: 'erase' }),
  }))
  return [...entities, ...erasures]
}

/** How far the schedules of a data folder are, in epoch milliseconds. */
interface Progress {
  /** When its first `npm start` began. The intervals of a rate are counted from here. */
  readonly startsAt: number
  /** Up to when the schedules have run. */
  readonly ranUntil: number
  /** How far the clock is ahead of the machine's. */
  readonly aheadMs: number
}

const progressSchema = v.object({ startsAt: v.number(), ranUntil: v.number(), aheadMs: v.number() })

/** Of a new folder, or without one, everything begins now. */
export function loadProgress(file: string | undefined, now: number): Progress {
  if (file === undefined || !existsSync(file)) return { startsAt: now, ranUntil: now, aheadMs: 0 }
  return v.parse(progressSchema, JSON.parse(readFileSync(file, 'utf8')))
}

export function saveProgress(file: string, progress: Progress): void {
  writeWholeFile(file, JSON.stringify(progress))
}
