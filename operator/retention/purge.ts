import type { OrphanedData } from '../../functions/problems/data-problems.ts'
import { orphanedDataOf } from '../../functions/problems/orphans.ts'
import { executionLimitSeconds } from '../../functions/runtime/execution-limit.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { glueName, tableDatabase } from '../../functions/runtime/settings-schema/glue-names.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import type { TableClient } from '../../stored/dynamodb/state-table.ts'
import { openCatalog } from '../../stored/glue/catalog.aws.ts'
import { listEntity } from '../../stored/inventory/stored-entity.ts'
import { deleteItems, readItems, type StoredItem } from '../../stored/inventory/stored-items.ts'
import type { ObjectVersion, ObjectVersionStore } from '../../stored/object-versions.aws.ts'
import { createObjectVersionStore } from '../../stored/object-versions.aws.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { tablePrefix } from '../../stored/tables/table.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { createExecutionStarter } from '../aws/executions.aws.ts'
import { openStores } from '../aws/objects.aws.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import { longshoreCommand, type Target } from '../deployment/deployment.ts'
import { readDefinitions } from '../deployment/schedules.ts'
import { CommandError, Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { openState } from '../sync/syncs.ts'
import type { ProgressDisplay } from '../text/progress.ts'
import { type Use, useOf } from './in-use.ts'

/** What a purge reads, writes and calls. */
export interface PurgeContext {
  readonly versions: Pick<ObjectVersionStore, 'listVersions' | 'deleteVersions'>
  readonly table: TableClient
  readonly snapshots: Pick<SnapshotStore, 'readLatest'>
  /** `executions`: those that are known to have worked on the entity. */
  readonly readUse: (entity: string, executions: readonly string[]) => Promise<Use>
  readonly dropGlueTable: (entity: string) => Promise<void>
  readonly target: Target
  /** Called before each batch of versions. Throws `Interrupted` if some are left. */
  readonly onBatch: (done: number, total: number) => void
  readonly progress: (title: string) => ProgressDisplay
}

/** Everything that is stored of an entity, as it was found. */
export interface Purge extends OrphanedData {
  /** In the order in which they are deleted. */
  readonly versions: readonly ObjectVersion[]
  readonly items: readonly StoredItem[]
}

/**
 * Finds what is stored of an entity that is no longer configured. Throws `CommandError` if it is configured or
 * deployed, is being synced, or has no data.
 */
export async function planPurge(context: PurgeContext, entity: string): Promise<Purge> {
  const use = useOf(entity, await context.readUse(entity, []), context.target)
  if (use) throw new CommandError(`${use.reason} Nothing was deleted.`, use)
  const found = await findAll(context, entity)
  if (isEmpty(found)) {
    const fix = `list the data of entities that are not configured: ${longshoreCommand(context.target, 'doctor')}`
    throw new CommandError(`No data of ${entity} is stored.`, { fix })
  }
  return { ...(await orphanedDataOf(context.snapshots, entity)), ...found }
}

type Found = Pick<Purge, 'versions' | 'items'>

async function findAll({ versions, table }: PurgeContext, entity: string): Promise<Found> {
  const found = await listEntity(versions, entity)
  const keys = found.map(({ key }) => key)
  return { versions: found, items: await readItems(table, entity, keys) }
}

const isEmpty = ({ versions, items }: Found) => versions.length + items.length === 0

/**
 * Deletes what was found, and what has been written since, until nothing is left. Throws `Interrupted`, and `CommandError`
 * if something uses the entity again; the command then deletes the rest when it is run again.
 */
export async function purge(context: PurgeContext, { entity, ...planned }: Purge): Promise<void> {
  const executions = new Set<string>()
  for (let found: Found = planned; !isEmpty(found); found = await findAll(context, entity)) {
    for (const { execution } of found.items) if (execution !== undefined) executions.add(execution)
    const use = useOf(entity, await context.readUse(entity, [...executions]), context.target)
    const done = found === planned ? 'Nothing was deleted.' : 'Its data is not deleted completely.'
    if (use) throw new CommandError(`${use.reason} ${done}`, use)
    const progress = context.progress(entity)
    try {
      await deleteFound(context, entity, { ...found, progress })
    } finally {
      progress.end()
    }
  }
}

async function deleteFound(
  context: PurgeContext,
  entity: string,
  { versions, items, progress }: Found & { readonly progress: ProgressDisplay },
): Promise<void> {
  // First, since the keys of the objects show which items exist: after an interruption they are found again.
  await deleteItems(context.table, items)
  // Before its files, since a table without files fails every query.
  if (versions.some(({ key }) => key.startsWith(tablePrefix(entity)))) await context.dropGlueTable(entity)
  const total = versions.length
  await context.versions.deleteVersions(versions, (done) => {
    context.onBatch(done, total)
    progress.show(done, total)
  })
  progress.show(total, total)
}

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
