import { executionLimitSeconds } from '../../functions/runtime/execution-limit.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { glueName, tableDatabase } from '../../functions/runtime/settings-schema/glue-names.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { openCatalog } from '../../stored/glue/catalog.aws.ts'
import { createObjectVersionStore } from '../../stored/object-versions.aws.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { createExecutionStarter } from '../aws/executions.aws.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import { openStores } from '../aws/stores.ts'
import { readDefinitions } from '../deployment/deployed.ts'
import { Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { openState } from '../sync/syncs.ts'
import type { Use } from './in-use.ts'
import type { PurgeContext } from './purge.ts'

const maxConcurrentReads = 16

export function openPurge(operation: Operation): PurgeContext {
  const { deployment, target, reporter, signal } = operation
  const { bucket, table, configuration } = deployment
  return {
    versions: createObjectVersionStore(bucket, awsClients.bucket()),
    table: connectTable(table, awsClients.table()),
    snapshots: openStores(bucket).snapshots,
    readUse: (entity, executions) => readUse(operation, entity, executions),
    async dropGlueTable(entity) {
      // npm start has no Glue.
      if (configuration.athena && target.kind === 'stacks')
        await openCatalog(tableDatabase(configuration.name), awsClients.glue()).drop(glueName(entity))
    },
    target,
    progress: (title) => reporter.progress(title),
    onBatch(done, total) {
      if (signal.aborted && done < total) {
        const rest = `${total - done} of ${total} versions remain`
        throw new Interrupted(`Interrupted: ${rest}. Run the command again to delete them.`)
      }
    },
  }
}

async function readUse(
  { deployment, target }: Operation,
  entity: string,
  known: readonly string[],
): Promise<Use> {
  const { configuration, table, stateMachineArn, now } = deployment
  const { name, entities } = configuration
  // npm start has no templates.
  const definitions =
    target.kind === 'stacks' ? await readDefinitions({ name, stateMachineArn }, createStackStore()) : []
  const state = openState(table)
  const [{ lease }, runs] = await Promise.all([state.readEntity(entity), state.listRuns(entity)])
  // The execution of a run that ended earlier is over.
  const earliest = now() - executionLimitSeconds * 1000
  const recent = runs.flatMap(({ updatedAt, execution }) =>
    execution && Date.parse(updatedAt) > earliest ? [execution] : [],
  )
  const executions = createExecutionStarter(stateMachineArn)
  // Those of a state machine that was replaced are over.
  const own = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:`
  const running = await mapPooled(
    [...new Set([...known, ...recent])].filter((execution) => execution.startsWith(own)),
    maxConcurrentReads,
    async (execution) => ((await executions.read(execution)).kind === 'running' ? [execution] : []),
  )
  const [execution] = running.flat()
  const isConfigured = entities.some((one) => one.name === entity)
  const isDeployed = definitions.some((definition) => definition.entity === entity)
  return { isConfigured, isDeployed, lease, execution, now: now() }
}
