import { createSnapshotStore } from '../functions/state/snapshots.aws.ts'
import { createStateStore } from '../functions/state/sync-state.aws.ts'
import { createExecutionStore } from '../functions/sync-api/executions.aws.ts'
import { signLinks } from '../functions/sync-api/links.aws.ts'
import { createSyncs } from '../functions/sync-api/syncs.ts'
import { settingsOf } from '../lib/config.ts'
import type { Deployment } from './deployment.ts'
import type { Terminal } from './shell/terminal.ts'

/** The operations of the sync API, with the operator's own permissions on the table and the state machine. */
export function openSyncs({ configuration, table, bucket, stateMachineArn }: Deployment, terminal: Terminal) {
  return createSyncs({
    settings: settingsOf(configuration),
    state: createStateStore(table),
    snapshots: createSnapshotStore(bucket),
    executions: createExecutionStore(stateMachineArn),
    signLink: signLinks(bucket),
    log: (_level, message) => terminal.note(message),
    now: Date.now,
  })
}
