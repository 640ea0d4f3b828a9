import { inUse, type Lease } from '../../stored/lease.ts'
import { deployCommand, type Target } from '../deployment/deployment.ts'

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

/** Why the data of an entity is in use, and what to do; undefined if it is not. */
export function useOf(
  entity: string,
  { isConfigured, isDeployed, lease, execution, now }: Use,
  target: Target,
): { readonly reason: string; readonly fix: string } | undefined {
  if (isConfigured)
    return {
      reason: `${entity} is configured, so its data is in use.`,
      fix: 'remove it from the configuration and deploy, then purge it',
    }
  if (isDeployed && target.kind === 'stacks')
    return { reason: `${entity} is not configured, but still deployed.`, fix: deployCommand(target) }
  if (inUse(lease, now))
    return {
      reason: `The run ${lease.runId} of ${entity} is in progress.`,
      fix: 'run the command again when it has ended (at most 5 minutes from now if its worker is gone)',
    }
  if (execution === undefined) return undefined
  return {
    reason: `The execution ${execution} of ${entity} is running, and may still write a change set or a table.`,
    fix: 'run the command again when it has ended',
  }
}
