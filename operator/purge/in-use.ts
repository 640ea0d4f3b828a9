import { inUse, type Lease } from '../../stored/lease.ts'
import { deployCommand, type Target } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'

/** What may use the data of an entity. */
export interface Use {
  readonly isConfigured: boolean
  /** Whether the deployed template schedules it. */
  readonly isDeployed: boolean
  readonly lease: Pick<Lease, 'runId' | 'until'> | undefined
  /** The ARN of a running execution. After the run has published, it compares and builds the table without the lease. */
  readonly execution: string | undefined
  readonly now: number
}

/** Throws `CommandError` if the data of an entity is in use. */
export function requireUnused(entity: string, use: Use, target: Target): void {
  const { isConfigured, isDeployed, lease, execution, now } = use
  if (isConfigured) {
    throw new CommandError(`${entity} is configured, so its data is in use. Nothing was deleted.`, {
      fix: 'remove it from the configuration and deploy, then purge it',
    })
  }
  if (isDeployed && target.kind === 'stacks') {
    throw new CommandError(`${entity} is not configured, but still deployed. Nothing was deleted.`, {
      fix: deployCommand(target),
    })
  }
  if (inUse(lease, now)) {
    throw new CommandError(`The run ${lease.runId} of ${entity} is in progress. Nothing was deleted.`, {
      fix: 'run the command again when it has ended (at most 5 minutes from now if its worker is gone)',
    })
  }
  if (execution === undefined) return
  throw new CommandError(
    `The execution ${execution} of ${entity} is running, and may still write a change set or a table. Nothing was deleted.`,
    { fix: 'run the command again when it has ended' },
  )
}
