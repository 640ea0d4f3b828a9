import * as v from 'valibot'
import type { ErasurePasses } from '../../stored/erasure-passes.ts'
import { storedEntities } from '../../stored/inventory/stored-entity.ts'
import type { ObjectVersionStore } from '../../stored/object-versions.aws.ts'
import { dayMs } from '../runtime/durations.ts'
import { describeError, type Log } from '../runtime/log.ts'
import { mapPooled } from '../runtime/map-pooled.ts'

const eventSchema = v.object({ task: v.literal('erase') })

/** Whether an event is that of the daily schedule. */
export const isErasure = (event: unknown): boolean => v.is(eventSchema, event)

/** Too little time is left to continue with an entity. */
export class ErasureOutOfTime extends Error {
  override readonly name = 'ErasureOutOfTime'
}

/** What the daily task of `eraseWithinDays` has erased. */
export interface ErasedByTask {
  readonly status: 'erased'
  readonly entities: number
  /** Versions of objects that were deleted. */
  readonly versions: number
}

/** What the daily task of each function uses. */
export interface ErasureContext {
  readonly versions: ObjectVersionStore
  readonly passes: ErasurePasses
  /** The names of the configured entities. */
  readonly configured: readonly string[]
  readonly eraseWithinDays: number
}

export interface Erasure extends Pick<ErasureContext, 'passes' | 'configured'> {
  readonly versions: Pick<ObjectVersionStore, 'listFolders'>
  readonly log: Log
  readonly now: () => number
  /** Throws `ErasureOutOfTime`. */
  readonly checkTime: () => void
  /** Returns the number of versions that it deleted. */
  readonly erase: (entity: string) => Promise<number>
  /** Called at the end, also if an entity failed. */
  readonly report: (erased: Pick<ErasedByTask, 'entities' | 'versions'>) => void
}

/** An entity waits for the bucket nearly all of the time. */
const entitiesAtOnce = 4

/** An invocation that continues a pass does not fail because of entities that the pass has already reached. */
const passMs = dayMs / 2

/**
 * Erases what must not be kept of each entity that is configured or has objects, the oldest complete pass first: after a
 * pass that ran out of time, the next invocation continues where it stopped. Lambda repeats an invocation that fails. An
 * entity that fails does not stop the others.
 */
export async function eraseEntities(erasure: Erasure): Promise<ErasedByTask> {
  const { versions: stored, passes, configured, log, now, checkTime, erase, report } = erasure
  const names = [...new Set([...configured, ...(await storedEntities(stored.listFolders))])].toSorted()
  const entities = inOrder(names, await passes.read(names))
  const failed: string[] = []
  const unreached: string[] = []
  let versions = 0
  const pass = async (entity: string, last: string | undefined) => {
    try {
      checkTime()
      const beganAt = new Date(now()).toISOString()
      // `versions += await …` would lose what other entities add meanwhile.
      const deleted = await erase(entity)
      versions += deleted
      await passes.record(entity, { beganAt, isConfigured: configured.includes(entity) })
    } catch (error) {
      if (!(error instanceof ErasureOutOfTime)) {
        failed.push(entity)
        log('ERROR', 'erasure failed', { entity, error: describeError(error) })
      } else if (last === undefined || Date.parse(last) < now() - passMs) unreached.push(entity)
    }
  }
  await mapPooled(entities, entitiesAtOnce, ({ entity, last }) => pass(entity, last))
  const erased = { entities: entities.length, versions }
  report(erased)
  if (unreached.length > 0)
    log('ERROR', 'erasure ran out of time', { unreached: unreached.length, entities: entities.length })
  const reasons = [
    ...(failed.length > 0 ? [`Erasure failed for ${failed.join(', ')}. The log has the reasons.`] : []),
    ...(unreached.length > 0
      ? [
          `Erasure ran out of time before ${unreached.length} of ${entities.length} entities, with which the next invocation begins.`,
        ]
      : []),
  ]
  if (reasons.length > 0) throw new Error(reasons.join(' '))
  return { status: 'erased', ...erased }
}

/** Those that have had no pass come first. */
function inOrder(entities: readonly string[], passes: readonly (string | undefined)[]) {
  return entities
    .map((entity, index) => ({ entity, last: passes[index] }))
    .toSorted((one, other) => (one.last ?? '').localeCompare(other.last ?? ''))
}

/** Throws if the configuration keeps everything. */
export function erasureDays(eraseWithinDays: number | undefined): number {
  if (eraseWithinDays === undefined) throw new Error('Nothing is erased without eraseWithinDays.')
  return eraseWithinDays
}
