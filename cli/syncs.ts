import { createSnapshotStore } from '../functions/state/snapshots.aws.ts'
import { createStateStore } from '../functions/state/sync-state.aws.ts'
import { createExecutionStore } from '../functions/sync-api/executions.aws.ts'
import { signLinks } from '../functions/sync-api/links.aws.ts'
import { createSyncs } from '../functions/sync-api/syncs.ts'
import { settingsOf } from '../lib/config.ts'
import { awsClients } from './aws/clients.aws.ts'
import type { Deployment } from './deployment.ts'
import type { Terminal } from './shell/terminal.ts'

/** The operations of the sync API except `start`, with the operator's own permissions. */
export type Syncs = Pick<ReturnType<typeof createSyncs>, 'list' | 'read' | 'readRun' | 'cancel'>

export function openSyncs(
  { configuration, table, bucket, stateMachineArn, now }: Deployment,
  terminal: Terminal,
): Syncs {
  return createSyncs({
    settings: settingsOf(configuration),
    state: createStateStore(table, awsClients.table()),
    snapshots: createSnapshotStore(bucket, awsClients.bucket()),
    executions: createExecutionStore(stateMachineArn, awsClients.stateMachine()),
    signLink: signLinks(bucket),
    log: (_level, message) => terminal.note(message),
    now,
  })
}
