import type { RememberedPageSize } from '../../../stored/entity-items.ts'
import { rangesOf } from '../../../stored/run/ranges-of-split.ts'
import type { EndedRun } from '../../../stored/run/run.ts'
import type { StateStore } from '../../../stored/sync-state.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { RunSession } from './session.ts'

/** The `_size` that an entity's next scroll begins with. */
export function firstPageSize(
  { pageSize }: Pick<EntitySettings, 'pageSize'>,
  remembered: RememberedPageSize | undefined,
): number {
  return remembered?.configured === pageSize ? Math.min(remembered.next, pageSize) : pageSize
}

/** Records the `_size` that the entity's next run begins with, if it has changed. */
export async function rememberPageSize(
  state: StateStore,
  { entity, rememberedPageSize }: RunSession,
  ended: EndedRun,
): Promise<void> {
  const next = nextPageSize(ended, rememberedPageSize)
  if (next) await state.setPageSize(entity.name, next)
}

/** A smaller size that worked is remembered, and doubles after each published run up to the configured one. */
function nextPageSize(
  run: EndedRun,
  remembered: RememberedPageSize | undefined,
): RememberedPageSize | undefined {
  if (run.kind !== 'full') return undefined
  const { plan, split, status, rangeProgress } = run
  const sizes = rangesOf(split).flatMap(({ pageSize }, index) =>
    rangeProgress[index]?.pages ? [pageSize] : [],
  )
  if (sizes.length === 0) return undefined
  const worked = Math.min(...sizes)
  const configured = plan.configuredPageSize
  const next = status === 'published' ? Math.min(configured, worked * 2) : worked
  const current = remembered?.configured === configured ? remembered.next : configured
  return next === current ? undefined : { next, configured }
}
