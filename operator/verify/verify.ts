import { settingsOf } from '../../lib/config.ts'
import { openObjects } from '../../stored/objects.aws.ts'
import { createTableStore } from '../../stored/tables/tables.aws.ts'
import { UnreadableObject } from '../../stored/unreadable-object.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { objectReader } from '../aws/objects.aws.ts'
import { openVersions } from '../aws/stored-versions.aws.ts'
import { type Deployment, requireEntity, syncFix } from '../deployment/deployment.ts'
import { CommandError, Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { openState } from '../sync/syncs.ts'
import { type Verified, type Verifying, verifyStored } from './verify-stored.ts'

/**
 * Checks everything that is stored of an entity as the publisher checks it. Throws `CommandError` if nothing is published,
 * and `Interrupted`.
 */
export async function verifyEntity(
  entity: string,
  operation: Operation,
  { repair }: { readonly repair: boolean },
): Promise<Verified> {
  const { deployment, target, reporter, signal } = operation
  const stored = await openStored(entity, deployment, signal)
  const progress = reporter.progress(entity)
  let done = 0
  const onRead = (lines: number) => {
    done += lines
    progress.show(done, Math.max(done, stored.recorded?.documents ?? 0))
  }
  try {
    const verified = await verifyStored({ ...stored, onRead }, repair)
    if (verified) return verified
  } catch (error) {
    if (signal.aborted) throw new Interrupted('Interrupted.')
    if (!(error instanceof UnreadableObject)) throw error
    const sync = syncFix(deployment.configuration, entity, target)
    const fix = `delete it (aws s3 rm s3://${deployment.bucket}/${error.key}), then publish a new snapshot: ${sync}`
    throw new CommandError(`${error.problem} No older version is intact.`, { fix })
  } finally {
    progress.end()
  }
  requireEntity(deployment.configuration, entity)
  const fix = syncFix(deployment.configuration, entity, target)
  throw new CommandError(`No snapshot of ${entity} has been published.`, { fix })
}

async function openStored(
  entity: string,
  { bucket, table, configuration, now }: Deployment,
  signal: AbortSignal,
): Promise<Omit<Verifying, 'onRead'>> {
  const client = awsClients.bucket()
  const state = openState(table)
  const objects = openObjects(bucket, client)
  return {
    entity,
    bucket,
    settings: settingsOf(configuration).entities.find(({ name }) => name === entity),
    recorded: (await state.readEntity(entity)).latest,
    readRuns: (runIds) => state.readRuns(runIds.map((runId) => ({ entity, runId }))),
    read: objectReader(bucket, signal),
    list: (prefix) => objects.listObjects(prefix),
    tables: createTableStore(bucket, client),
    versions: openVersions(bucket, client),
    objects,
    now: now(),
  }
}
