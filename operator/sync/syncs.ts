import type { Log } from '../../functions/runtime/log.ts'
import { createExecutionStore } from '../../functions/syncs/executions.aws.ts'
import { createSyncs, type Syncs } from '../../functions/syncs/syncs.ts'
import { settingsOf } from '../../lib/config.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { randomPause } from '../../stored/dynamodb/state-table.ts'
import { createWake } from '../../stored/slots/wake.aws.ts'
import { wakerOf } from '../../stored/slots/waker.ts'
import { createStateStore, type StateStore } from '../../stored/sync-state.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Reporter } from '../reporter.ts'

export type { Syncs }

type SyncsOf = Pick<Deployment, 'configuration' | 'table' | 'stateMachineArn' | 'now'>

/** The operations of the sync API, with the operator's own permissions. */
export function openSyncs(
  { configuration, table, stateMachineArn, now }: SyncsOf,
  reporter: Reporter,
): Syncs {
  const settings = settingsOf(configuration)
  const stateMachine = awsClients.stateMachine()
  const log: Log = (_level, message) => reporter.note(message)
  const executions = createExecutionStore(stateMachineArn, stateMachine)
  const syncs = createSyncs({ settings, state: openState(table), executions, log, now })
  return {
    ...syncs,
    async cancel(entity, runId) {
      const run = await syncs.cancel(entity, runId)
      // The scroll of an increment may be open, and its worker frees the slot if it is not.
      if (run.kind !== 'full') return run
      const waker = wakerOf(settings, { now, wake: createWake(log, stateMachine), name: 'longshore' })
      await openState(table, waker)
        .releaseSlots(runId)
        .catch(() =>
          reporter.note(
            'Runs that wait for a slot were not woken. The next look for problems wakes them, within 7 minutes.',
          ),
        )
      return run
    },
  }
}

/** The state of syncs, with the operator's own permissions. */
export const openState = (table: string, waker?: Parameters<typeof createStateStore>[2]): StateStore =>
  createStateStore(connectTable(table, awsClients.table()), randomPause, waker)
