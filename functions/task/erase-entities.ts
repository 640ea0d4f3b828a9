import * as v from 'valibot'
import { describeError, type Log } from '../runtime/log.ts'

const eventSchema = v.object({ task: v.literal('erase') })

/** Whether an event is that of the daily schedule. */
export const isErasure = (event: unknown): boolean => v.is(eventSchema, event)

/** What the daily task of `eraseWithinDays` has erased. */
export interface Erased {
  readonly status: 'erased'
  readonly entities: number
  /** Versions of objects that were deleted. */
  readonly versions: number
}

export interface Erasure {
  readonly entities: readonly string[]
  /** Returns the number of versions that it deleted. */
  readonly erase: (entity: string) => Promise<number>
  /** Called at the end, also if an entity failed. */
  readonly report: (erased: Pick<Erased, 'entities' | 'versions'>) => void
}

/** Erases what must not be kept of each entity. One that fails does not stop the others; the task fails at the end. */
export async function eraseEntities(log: Log, { entities, erase, report }: Erasure): Promise<Erased> {
  const failed: string[] = []
  let versions = 0
  for (const entity of entities) {
    try {
      versions += await erase(entity)
    } catch (error) {
      failed.push(entity)
      log('ERROR', 'erasure failed', { entity, error: describeError(error) })
    }
  }
  const erased = { entities: entities.length, versions }
  report(erased)
  if (failed.length > 0) throw new Error(`Erasure failed for ${failed.join(', ')}. The log has the reasons.`)
  return { status: 'erased', ...erased }
}

/** Throws if the configuration keeps everything. */
export function erasureDays(eraseWithinDays: number | undefined): number {
  if (eraseWithinDays === undefined) throw new Error('Nothing is erased without eraseWithinDays.')
  return eraseWithinDays
}
