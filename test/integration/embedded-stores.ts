import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import type { CompareContext } from '../../functions/compare/context.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import { startS3 } from '../../local/embedded/s3.ts'
import { createChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { inProcessPublisher } from '../in-process-publisher.ts'

export interface EmbeddedStores {
  readonly table: string
  readonly bucket: string
  readonly dynamodb: DynamoDBClient
  readonly s3: S3Client
  close(): Promise<void>
}

/** An empty state table and an empty bucket on embedded servers. */
export async function startEmbeddedStores(): Promise<EmbeddedStores> {
  const table = 'state'
  const bucket = 'snapshots'
  const [dynamodb, s3] = await Promise.all([startDynamoDb({ table }), startS3({ bucket })])
  return {
    table,
    bucket,
    dynamodb: new DynamoDBClient({ ...clientSettings, endpoint: dynamodb.endpoint }),
    s3: new S3Client({ ...clientSettings, endpoint: s3.endpoint }),
    close: async () => {
      await Promise.all([dynamodb.close(), s3.close()])
    },
  }
}

/** An empty state table on its own server, with the same bucket. */
export async function withFreshTable(stores: EmbeddedStores): Promise<EmbeddedStores> {
  const served = await startDynamoDb({ table: stores.table })
  return {
    ...stores,
    dynamodb: new DynamoDBClient({ ...clientSettings, endpoint: served.endpoint }),
    close: () => served.close(),
  }
}

/** What a comparison uses, without events and a time limit. */
export const comparisonOn = (
  { bucket, s3, table, dynamodb }: EmbeddedStores,
  now: () => number,
  entities: () => readonly EntitySettings[] = () => [],
): CompareContext => ({
  snapshots: createSnapshotStore(bucket, s3),
  changes: createChangeSetStore(bucket, s3),
  publisher: inProcessPublisher({ table: connectTable(table, dynamodb), bucket, s3, now, entities }),
  publishEvent: async () => undefined,
  log: () => undefined,
  now,
  checkTime: () => undefined,
})
