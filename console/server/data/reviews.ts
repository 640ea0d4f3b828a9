import * as v from 'valibot'
import { createExecutionStarter } from '../../../operator/aws/executions.aws.ts'
import { operatorName } from '../../../operator/deployment/caller.aws.ts'
import { CommandError } from '../../../operator/errors.ts'
import { acceptRefusal, isAcceptableWithChanges } from '../../../operator/review/accept.ts'
import type { ReviewedRefusal, ShownReview } from '../../../operator/review/review.ts'
import { findRefusal, nothingRefused, reviewRefusal } from '../../../operator/review/review.ts'
import { pause } from '../../../operator/waiting.ts'
import { acceptedGuard, guards } from '../../../stored/run/run.ts'
import type { StartedResponse } from '../../contract/api.ts'
import type { ReviewResponse } from '../../contract/review.ts'
import type { ConsoleContext } from '../context.ts'
import { createPromiseCache } from '../promise-cache.ts'
import { bodyOf } from './body.ts'

const keyOf = ({ key }: { readonly key: string }) => key

/** How long the browser waits for a publication. */
const maxAcceptMs = 60_000
const maxCachedReviews = 8

const acceptSchema = v.strictObject({
  withChanges: v.boolean(),
  guard: v.picklist(guards),
  refusedAt: v.nullable(v.string()),
})

/** Reviews and accepts what a guard refused. The objects that a review reads never change, so it is made once. */
export function createReviews(context: ConsoleContext) {
  const { deployment, syncs, read } = context
  const cached = createPromiseCache<ShownReview>(maxCachedReviews)

  /** Throws `CommandError` if nothing waits for a decision. */
  async function find(entity: string, runId: string): Promise<ReviewedRefusal> {
    const run = await syncs.readRun(entity, runId)
    const refusal = await findRefusal(context, run)
    if (refusal) return refusal
    throw new CommandError(await nothingRefused(context, run, deployment.now()))
  }

  const review = (refusal: ReviewedRefusal) => {
    const { entity, before, over, deleted, after } = refusal
    // A run can be compared again, from another state of the chain.
    const key = [entity, before?.runId, after.runId, over.map(keyOf), deleted?.map(keyOf)]
    return cached(JSON.stringify(key), () => reviewRefusal(refusal, read))
  }

  return {
    async read(entity: string, runId: string): Promise<ReviewResponse> {
      const refusal = await find(entity, runId)
      const [shown, isAcceptable] = await Promise.all([
        review(refusal),
        isAcceptableWithChanges({ ...context, stores: context }, refusal),
      ])
      const { guard, refusedAt = null } = refusal
      return { ...shown, guard, refusedAt, isAcceptableWithChanges: isAcceptable }
    },

    /** Publishes what was refused, and waits until that has ended. */
    async accept(entity: string, runId: string, body: unknown): Promise<StartedResponse> {
      const { withChanges, ...reviewed } = bodyOf(acceptSchema, body)
      const refusal = await find(entity, runId)
      if (refusal.guard !== reviewed.guard || (refusal.refusedAt ?? null) !== reviewed.refusedAt)
        throw new CommandError(`Run ${runId} of ${entity} was refused again since. Nothing was published.`, {
          fix: 'read the page again, which shows what is refused now',
        })
      const executions = createExecutionStarter(deployment.stateMachineArn)
      const by = await operatorName(deployment)
      const signal = AbortSignal.timeout(maxAcceptMs)
      const accepted = { entity, runId, ...acceptedGuard(refusal.guard, { ...refusal, withChanges }) }
      await acceptRefusal({ executions, by, pause, signal }, accepted)
      return { runId }
    },
  }
}
