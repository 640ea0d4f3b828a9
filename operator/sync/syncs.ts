import { createExecutionStore } from '../../functions/sync-api/executions.aws.ts'
import { createSyncs, type Syncs } from '../../functions/sync-api/syncs.ts'
import { settingsOf } from '../../lib/config.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Reporter } from '../reporter.ts'
import { openState } from './state.ts'

export type { Syncs }

type SyncsOf = Pick<Deployment, 'configuration' | 'table' | 'stateMachineArn' | 'now'>

/** The operations of the sync API, with the operator's own permissions. */
export function openSyncs(
  { configuration, table, stateMachineArn, now }: SyncsOf,
  reporter: Reporter,
): Syncs {
  return createSyncs({
    settings: settingsOf(configuration),
    state: openState(table),
    executions: createExecutionStore(stateMachineArn, awsClients.stateMachine()),
    log: (_level, message) => reporter.note(message),
    now,
  })
}
