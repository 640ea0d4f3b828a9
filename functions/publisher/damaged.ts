import type { DamagedSnapshot } from '../../stored/snapshots/publication.ts'
import { causeOfUnreadable, isUnreadable } from '../../stored/unreadable-object.ts'
import { Damaged } from './check/damage.ts'

/** What a caller is told of objects that are not as they were stored. Throws every other error. */
export function damagedBy(error: unknown, advice = ' Start the sync again.'): DamagedSnapshot {
  if (error instanceof Damaged) return { kind: 'damaged', reason: error.message + advice }
  if (!isUnreadable(error)) throw error
  return { kind: 'damaged', reason: error.message, cause: causeOfUnreadable(error) }
}
