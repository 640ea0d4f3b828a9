import type { SnapshotStore } from '../../../functions/state/snapshots/snapshots.aws.ts'
import { acceptRefusal } from '../../../operator/accept/accept.ts'
import { callerName } from '../../../operator/aws/caller.aws.ts'
import { createExecutionStarter } from '../../../operator/aws/executions.aws.ts'
import type { ReadObject } from '../../../operator/aws/objects.aws.ts'
import type { Deployment } from '../../../operator/deployment/deployment.ts'
import { CommandError } from '../../../operator/errors.ts'
import { findRefusal, type Refusal, type RefusalStores } from '../../../operator/review/refusal.ts'
import { type Review, reviewRefusal } from '../../../operator/review/review.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import type { ReviewResponse, StartedResponse } from '../../contract.ts'

export interface ReviewsContext {
  readonly deployment: Deployment
  readonly syncs: Pick<Syncs, 'readRun'>
  readonly stores: RefusalStores & { readonly snapshots: Pick<SnapshotStore, 'readLatest'> }
  readonly read: ReadObject
}

/** How long the browser waits for a publication. */
const maxAcceptMs = 60_000
const maxCachedReviews = 8

/** Reviews and accepts what a guard refused. A review reads two snapshots, which never change, so it is made once. */
export function createReviews({ deployment, syncs, stores, read }: ReviewsContext) {
  const cache = new Map<string, Promise<Review>>()

  /** Throws `CommandError` if nothing waits for a decision. */
  async function find(entity: string, runId: string): Promise<Refusal> {
    const refusal = await findRefusal(stores, await syncs.readRun(entity, runId))
    if (refusal) return refusal
    throw new CommandError(
      'Nothing waits for a decision in this run: what was refused is gone or was published.',
    )
  }

  function reviewed(refusal: Refusal): Promise<Review> {
    const key = [refusal.entity, refusal.before?.runId, refusal.after.runId].join('/')
    const known = cache.get(key)
    if (known) return known
    const review = reviewRefusal(refusal, read)
    cache.set(key, review)
    review.catch(() => cache.delete(key))
    const [oldest] = cache.keys()
    if (cache.size > maxCachedReviews && oldest !== undefined) cache.delete(oldest)
    return review
  }

  return {
    async read(entity: string, runId: string): Promise<ReviewResponse> {
      const refusal = await find(entity, runId)
      const { guard, reason } = refusal
      return { guard, reason, ...(await reviewed(refusal)) }
    },

    /** Publishes what was refused, and waits until that has ended. */
    async accept(entity: string, runId: string): Promise<StartedResponse> {
      const refusal = await find(entity, runId)
      const executions = createExecutionStarter(deployment.stateMachineArn)
      const by = await callerName(deployment)
      await acceptRefusal({ executions, by, signal: AbortSignal.timeout(maxAcceptMs) }, refusal)
      return { runId }
    },
  }
}
