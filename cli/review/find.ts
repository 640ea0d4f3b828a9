import { openStores } from '../../operator/aws/objects.aws.ts'
import { type Deployment, longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { findRefusal, nothingRefused, type ReviewedRefusal } from '../../operator/review/review.ts'
import { requireRun } from '../../operator/sync/run-logs.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import type { Terminal } from '../shell/terminal.ts'

/** What was refused in a run, or in the last run of an entity. Throws `CommandError`. */
export async function requireRefusal(
  deployment: Deployment,
  { word, target, terminal }: { word: string; target: Target; terminal: Terminal },
): Promise<ReviewedRefusal> {
  const { configuration, bucket, now } = deployment
  const run = await requireRun(word, { configuration, syncs: openSyncs(deployment, terminal), target })
  const stores = openStores(bucket)
  const refusal = await findRefusal(stores, run)
  if (refusal) return refusal
  throw new CommandError(await nothingRefused(stores, run, now()), {
    fix: longshoreCommand(target, `runs ${run.entity}`),
  })
}
