import type { S3Client } from '@aws-sdk/client-s3'
import { checkRun } from '../functions/publisher/check-run.ts'
import type { Publisher, RunItems } from '../functions/publisher/ports.ts'
import { publishRun } from '../functions/publisher/publish-run.ts'
import type { RequestedCheck } from '../functions/publisher/request.ts'
import { connectObjects } from '../functions/publisher/stored-objects.aws.ts'
import type { TableClient } from '../functions/state/dynamodb/requests.ts'
import { openTable } from '../functions/state/dynamodb/state-table.ts'
import type { CommittedEnd, CommittedPage } from '../functions/state/pages/page.ts'
import { oldPagePartition, pagePartition } from '../functions/state/pages/page-items.ts'
import type { RunResult } from '../functions/state/run/run.ts'
import { createRunItems } from '../functions/state/run/run-items.ts'
import type { CheckResult, PublisherClient } from '../functions/state/snapshots/publication.ts'

interface Stores {
  readonly table: TableClient
  readonly bucket?: string
  readonly s3: Pick<S3Client, 'send'>
  readonly now: () => number
  readonly endsAt?: number
  readonly wait?: (ms: number) => Promise<unknown>
}

/** The items of a table that is no real one. */
function itemsOf(client: TableClient): RunItems {
  const table = openTable(client, async () => undefined)
  const query = (pk: string) => Array.fromAsync(table.query<CommittedPage | CommittedEnd>(pk))
  return {
    readRun: createRunItems(table).readRun,
    readAttempt: async (attempt) => {
      const items = await query(pagePartition(attempt))
      return items.length > 0 ? items : query(oldPagePartition(attempt))
    },
  }
}

/** What the publisher works with, on these stores. */
export const publisherOn = ({
  table,
  bucket = 'snapshots',
  s3,
  now,
  endsAt = Number.POSITIVE_INFINITY,
  wait = async () => undefined,
}: Stores): Publisher => ({ items: itemsOf(table), objects: connectObjects(bucket, s3, wait), now, endsAt })

/** The publisher, called instead of invoked. */
export function inProcessPublisher(stores: Stores): PublisherClient {
  const publisher = publisherOn(stores)
  const check = async <Found>(request: RequestedCheck) =>
    (await checkRun(publisher, request)) as CheckResult<Found>
  return {
    checkRange: check,
    checkRun: (request) => check<RunResult>(request),
    publish: (request) => publishRun(publisher, request),
  }
}
