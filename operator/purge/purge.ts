import type { OrphanedData } from '../../functions/problems/data-problems.ts'
import { findOrphans } from '../../functions/problems/orphans.ts'
import { executionLimitSeconds } from '../../functions/runtime/execution-limit.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { glueName, tableDatabase } from '../../functions/runtime/settings-schema/glue-names.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import type { Key } from '../../stored/item-version.ts'
import { createObjectVersionStore } from '../../stored/object-versions.aws.ts'
import { openObjects } from '../../stored/objects.aws.ts'
import { tablePrefix } from '../../stored/tables/table.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { createExecutionStarter } from '../aws/executions.aws.ts'
import { dropGlueTable } from '../aws/glue.aws.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import { openStores } from '../aws/stores.ts'
import { longshoreCommand } from '../deployment/deployment.ts'
import { CommandError, Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { readDefinitions } from '../schedules/deployed.ts'
import { openState } from '../sync/state.ts'
import { deleteObjects, type EntityBucket, type FoundObjects, findObjects } from './entity-objects.ts'
import { requireUnused, type Use } from './in-use.ts'
import { deleteItems, findItems } from './purge-items.ts'

const maxConcurrentReads = 16

/** Everything that is stored of an entity, as it was found. */
export interface Purge extends OrphanedData {
  readonly objects: FoundObjects
  readonly items: readonly Key[]
}

/**
 * Finds what is stored of an entity that is no longer configured. Throws `CommandError` if it is configured or
 * deployed, is being synced, or has no data.
 */
export async function planPurge(entity: string, operation: Operation): Promise<Purge> {
  const { deployment, target } = operation
  requireUnused(entity, await readUse(entity, operation), target)
  const { bucket, table, configuration } = deployment
  const { snapshots } = openStores(bucket)
  const orphans = await findOrphans({ settings: configuration, snapshots })
  const orphan = orphans.find((one) => one.entity === entity)
  const objects = await findObjects(entity, openBucket(bucket))
  const items = await findItems(entity, objects.keys, connectTable(table, awsClients.table()))
  if (objects.keys.length === 0 && items.length === 0) {
    throw new CommandError(`No data of ${entity} is stored.`, {
      fix: `list the data of entities that are not configured: ${longshoreCommand(target, 'doctor')}`,
    })
  }
  return { entity, snapshot: orphan?.snapshot ?? null, objects, items }
}

async function readUse(entity: string, { deployment, target }: Operation): Promise<Use> {
  const { configuration, table, stateMachineArn, now } = deployment
  const { name, entities } = configuration
  // npm start has no templates.
  const definitions =
    target.kind === 'stacks' ? await readDefinitions({ name, stateMachineArn }, createStackStore()) : []
  const state = openState(table)
  const [{ lease }, runs] = await Promise.all([state.readEntity(entity), state.listRuns(entity)])
  // The execution of a run that ended earlier is over.
  const earliest = now() - executionLimitSeconds * 1000
  const recent = runs.filter(({ updatedAt }) => Date.parse(updatedAt) > earliest)
  const executions = createExecutionStarter(stateMachineArn)
  const running = await mapPooled(recent, maxConcurrentReads, async ({ execution }) =>
    execution && (await executions.read(execution)).kind === 'running' ? [execution] : [],
  )
  const [execution] = running.flat()
  const isConfigured = entities.some((one) => one.name === entity)
  const isDeployed = definitions.some((definition) => definition.entity === entity)
  return { isConfigured, isDeployed, lease, execution, now: now() }
}

/** Deletes what was found. Throws `Interrupted`; the command then deletes the rest when it is run again. */
export async function purge(
  { entity, objects, items }: Purge,
  { deployment: { bucket, table, configuration }, target, reporter, signal }: Operation,
): Promise<void> {
  const progress = reporter.progress(entity)
  try {
    // First, since the keys of the objects show which items exist: after an interruption they are found again.
    await deleteItems(items, connectTable(table, awsClients.table()))
    // Before its files, since a table without files fails every query. npm start has no Glue.
    const hasTable = objects.keys.some((key) => key.startsWith(tablePrefix(entity)))
    if (hasTable && configuration.athena && target.kind === 'stacks')
      await dropGlueTable(tableDatabase(configuration.name), glueName(entity))
    await deleteObjects(objects, openBucket(bucket), (done, total) => {
      if (signal.aborted && done < total) {
        const rest = `${total - done} of ${total} versions remain`
        throw new Interrupted(`Interrupted: ${rest}. Run the command again to delete them.`)
      }
      progress.show(done, total)
    })
  } finally {
    progress.end()
  }
}

export function openBucket(name: string): EntityBucket {
  const client = awsClients.bucket()
  return { versions: createObjectVersionStore(name, client), objects: openObjects(name, client) }
}
