import { objectReader, openStores } from '../../operator/aws/objects.aws.ts'
import { type Deployment, longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import type { Inspection } from '../../operator/doctor/finding.ts'
import { openState, type Syncs } from '../../operator/sync/syncs.ts'

export interface ApiContext {
  readonly deployment: Deployment
  readonly syncs: Syncs
  /** For which deployment command lines are: another one may be the first `npm start` later. */
  readonly target: () => Target
  /** Everything that the doctor finds. */
  readonly inspect: () => Promise<Inspection>
}

export type ConsoleContext = ReturnType<typeof openContext>

/** What the routes read with. */
export const openContext = (context: ApiContext) => ({
  ...context,
  ...openStores(context.deployment.bucket),
  state: openState(context.deployment.table),
  read: objectReader(context.deployment.bucket, new AbortController().signal),
  /** A command line for this deployment. */
  command: (args: string) => longshoreCommand(context.target(), args),
})
