import { isObject } from '../../functions/runtime/json-object.ts'
import { maxGapSeconds, runsWithin } from '../../functions/runtime/schedule-gap.ts'
import { keepDefaults } from '../../functions/runtime/settings-schema/entity.ts'
import { eraseWithinRange, keptDays } from '../../functions/runtime/settings-schema/erasure-days.ts'
import { findScheduleError } from '../../functions/runtime/settings-schema/schedule.ts'
import { describeValue } from '../../functions/runtime/settings-schema/schema-parts.ts'

const daySeconds = 86_400

interface ErasureError {
  readonly keys: readonly (string | number)[]
  readonly message: string
}

/** Fills in `keepSnapshots` and `changes.keepDays` where `eraseWithinDays` allows less than their defaults. */
export function withErasureDefaults(input: unknown): unknown {
  const days = eraseWithinDaysOf(input)
  const { entities } = Object(input) as { entities?: unknown }
  if (days === undefined || !Array.isArray(entities)) return input
  return { ...(input as object), entities: entities.map((entity) => withEntityDefaults(entity, days)) }
}

function withEntityDefaults(entity: unknown, days: number): unknown {
  if (!isObject(entity)) return entity
  const { keepSnapshots, changes = {} } = entity
  const max = maxSnapshots(entity, days)
  return {
    ...entity,
    ...(max !== undefined && { keepSnapshots: withKeptDefault(keepSnapshots, max) }),
    ...(isObject(changes) && {
      changes: {
        ...changes,
        keepDays: changes['keepDays'] ?? Math.min(keepDefaults.keepDays, keptDays(days)),
      },
    }),
  }
}

function withKeptDefault(keepSnapshots: unknown, max: number): unknown {
  const last = Math.min(keepDefaults.keepSnapshots, max)
  return isObject(keepSnapshots) ? { last, ...keepSnapshots } : (keepSnapshots ?? last)
}

/** The values that keep something for longer than `eraseWithinDays` allows. */
export function findErasureErrors(configuration: object): ErasureError[] {
  const days = eraseWithinDaysOf(configuration)
  const { entities } = configuration as { entities?: unknown }
  if (days === undefined || !Array.isArray(entities)) return []
  return entities.flatMap((entity: unknown, index) => {
    const found = isObject(entity) ? [...errorsOf(entity, days), ...incrementErrors(entity, days)] : []
    return found.map(({ keys, message }) => ({ keys: ['entities', index, ...keys], message }))
  })
}

function errorsOf(entity: Readonly<Record<string, unknown>>, days: number): ErasureError[] {
  const { schedule, keepSnapshots, changes } = entity
  const kept = keptDays(days)
  const limit = `with eraseWithinDays: ${days}, content that is no longer published is kept for at most ${kept} days`
  const most = maxSnapshots(entity, days)
  const inThatTime = `, and ${describeValue(schedule)} publishes about ${most} snapshots in that time`
  const limits: readonly [keys: string[], value: unknown, most: number | undefined, why: string][] = [
    [['keepSnapshots'], keepSnapshots, most, inThatTime],
    [['keepSnapshots', 'last'], Object(keepSnapshots).last, most, inThatTime],
    [['keepSnapshots', 'daily'], Object(keepSnapshots).daily, kept, ''],
    [['changes', 'keepDays'], Object(changes).keepDays, kept, ''],
  ]
  return limits.flatMap(([keys, value, atMost, why]) =>
    typeof value === 'number' && atMost !== undefined && value > atMost
      ? [
          {
            keys,
            message: `${limit}${why}; use at most ${atMost} instead of ${value}, or raise eraseWithinDays`,
          },
        ]
      : [],
  )
}

/** Increments are erased like everything else: readers who begin need those since the last full sync. */
function incrementErrors(
  { schedule, increments }: Readonly<Record<string, unknown>>,
  days: number,
): ErasureError[] {
  if (increments === undefined || typeof schedule !== 'string' || findScheduleError(schedule)) return []
  const kept = keptDays(days)
  const gap = maxGapSeconds(schedule)
  if (gap !== undefined && gap <= (kept / 2) * daySeconds) return []
  const apart = gap === undefined ? 'never repeated' : `up to ${Math.ceil(gap / daySeconds)} days apart`
  const message =
    `with eraseWithinDays: ${days}, increments are kept for ${kept} days, and the full syncs of ` +
    `${describeValue(schedule)} are ${apart}; schedule them at most ${kept / 2} days apart, or raise eraseWithinDays`
  return [{ keys: ['schedule'], message }]
}

/** How many snapshots the schedule publishes until the oldest must go. Undefined if the schedule is not valid. */
function maxSnapshots({ schedule }: Readonly<Record<string, unknown>>, days: number): number | undefined {
  if (typeof schedule !== 'string' || findScheduleError(schedule)) return undefined
  // The published snapshot and the previous one are not limited by number.
  return Math.max(2, 1 + runsWithin(schedule, keptDays(days)))
}

function eraseWithinDaysOf(configuration: unknown): number | undefined {
  const { eraseWithinDays: days } = Object(configuration) as { eraseWithinDays?: unknown }
  const isValid =
    Number.isInteger(days) &&
    (days as number) >= eraseWithinRange.min &&
    (days as number) <= eraseWithinRange.max
  return isValid ? (days as number) : undefined
}
