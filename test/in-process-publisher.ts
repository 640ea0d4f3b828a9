import type { S3Client } from '@aws-sdk/client-s3'
import type { Publisher, RunItems } from '../functions/publisher/ports.ts'
import { connectObjects } from '../functions/publisher/stored-objects.aws.ts'
import { carryOut, type PublisherRequest } from '../functions/publisher/tasks.ts'
import type { Log } from '../functions/runtime/log.ts'
import { pick } from '../functions/runtime/pick.ts'
import type { EntitySettings } from '../functions/runtime/settings.ts'
import { openTable, type TableClient } from '../stored/dynamodb/state-table.ts'
import { createEntityItems } from '../stored/entity-items.ts'
import type { CommittedEnd, CommittedPage } from '../stored/pages/page.ts'
import type { PublisherClient } from '../stored/publisher.ts'
import { createRunItems } from '../stored/run/run-items.ts'

interface Stores {
  readonly table: TableClient
  readonly bucket?: string
  readonly s3: Pick<S3Client, 'send'>
  readonly now: () => number
  /** As deployed when it is invoked. */
  readonly entities?: () => readonly EntitySettings[]
  readonly log?: Log
  readonly endsAt?: number
  readonly wait?: (ms: number) => Promise<unknown>
}

/** The items of a table that is no real one. */
function itemsOf(client: TableClient): RunItems {
  const table = openTable(client, async () => undefined)
  const query = (pk: string) => Array.fromAsync(table.query<CommittedPage | CommittedEnd>(pk))
  return {
    ...pick(createRunItems(table), 'readRun', 'readIncrement'),
    readAcceptedChanges: async (entity) =>
      (await createEntityItems(table).readEntity(entity)).acceptedChanges,
    readPages: query,
  }
}

/** What the publisher works with, on these stores. */
export const publisherOn = ({
  table,
  bucket = 'snapshots',
  s3,
  now,
  entities = () => [],
  log = () => undefined,
  endsAt = Number.POSITIVE_INFINITY,
  wait = async () => undefined,
}: Stores): Publisher => ({
  items: itemsOf(table),
  objects: connectObjects(bucket, s3, wait),
  entities: entities(),
  log,
  now,
  endsAt,
})

/** The publisher, called instead of invoked. */
export function inProcessPublisher(stores: Stores): PublisherClient {
  const called = async <Result>(request: PublisherRequest) =>
    (await carryOut(publisherOn(stores), request)) as Result
  return {
    checkRange: (request) => called({ task: 'check', ...request }),
    checkRun: (request) => called({ task: 'check', ...request }),
    publish: (request) => called({ task: 'publish', ...request }),
    publishSet: (request) => called({ task: 'publish-set', ...request }),
    note: (request) => called({ task: 'note', ...request }),
  }
}
