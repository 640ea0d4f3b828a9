import type { S3Client } from '@aws-sdk/client-s3'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { EntitySettings, Settings } from '../../../functions/runtime/settings.ts'
import { createResponders } from '../../../functions/sync-api/responders.ts'
import { createSyncApi } from '../../../functions/sync-api/sync-api.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import type { MemoryS3 } from '../../simulation/stores/memory-s3.ts'
import type { ChangeSetTestbed } from '../compare/change-set-testbed.ts'

export const linkOf = (key: string) => `https://bucket.example.com/${key}`

interface ChangesRequest {
  readonly entity?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The response to GET /syncs/{entity}/changes about a bucket in memory. */
export async function requestChanges(
  { s3, bucket, entities }: { s3: MemoryS3; bucket: string; entities: readonly EntitySettings[] },
  { entity = 'CL', query = '', headers = {} }: ChangesRequest,
) {
  const client = s3 as unknown as S3Client
  const context = {
    settings: { entities } as unknown as Settings,
    snapshots: createSnapshotStore(bucket, client),
    changes: createChangeSetStore(bucket, client),
    signLinks: async (keys: readonly string[]) => keys.map(linkOf),
  }
  const respond = createSyncApi(
    createResponders(context as unknown as Parameters<typeof createResponders>[0]),
  )
  const event = {
    routeKey: 'GET /syncs/{entity}/changes',
    pathParameters: { entity },
    rawQueryString: query,
    headers,
    requestContext: { requestId: 'r', domainName: 'api.example.com', stage: '$default' },
  }
  const result = await respond(event as unknown as APIGatewayProxyEventV2)
  return { ...result, body: result.body === undefined ? undefined : JSON.parse(result.body) }
}

/** The same about the sets of a testbed. */
export const changesOf = ({ s3, changes }: ChangeSetTestbed, request: ChangesRequest) =>
  requestChanges({ s3, bucket: 'bucket', entities: [{ name: 'CL', changes } as EntitySettings] }, request)
