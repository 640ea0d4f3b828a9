import type { OwnedSlot, Slots } from '../../../stored/slots/hand-over.ts'
import type { Invocation } from '../functions/invocation.ts'
import type { ItemChange } from '../stores/memory-dynamodb.ts'

interface SlotWrite extends ItemChange {
  readonly sk: string
}

/**
 * How a write of slots exceeds the limit that its worker was deployed with; undefined if it does not. Owners keep their
 * slots when a deployment lowers the limit, but nobody takes a further one.
 */
export function limitProblem({ sk, before, after }: SlotWrite, writer: Invocation): string | undefined {
  const { maxConcurrentSyncs, maxConcurrentScrolls } = writer.deployed
  const limit = sk === 'syncs' ? maxConcurrentSyncs : maxConcurrentScrolls
  const now = writer.now()
  const live = liveOwners(after, now)
  const kept = Map.groupBy(liveOwners(before, now), ({ runId }) => runId)
  const isTaken = [...Map.groupBy(live, ({ runId }) => runId)].some(
    ([runId, slots]) => slots.length > (kept.get(runId)?.length ?? 0),
  )
  return isTaken && live.length > limit
    ? `${writer.id} takes slot ${live.length} of ${limit} for concurrent ${sk}`
    : undefined
}

const liveOwners = (item: object | undefined, now: number): readonly OwnedSlot[] =>
  item ? (item as Slots).owners.filter(({ until }) => until > now) : []
