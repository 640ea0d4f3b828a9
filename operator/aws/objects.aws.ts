import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3'
import { absentIf } from '../../functions/runtime/absent-if.ts'
import { createChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createTableStore } from '../../stored/tables/tables.aws.ts'
import { awsClients } from './clients.aws.ts'

/** Reads an object of the bucket; undefined if it does not exist. */
export type ReadObject = (key: string) => Promise<Buffer | undefined>

export function objectReader(bucket: string, signal: AbortSignal): ReadObject {
  const client = awsClients.bucket()
  return async (key) => {
    const command = new GetObjectCommand({ Bucket: bucket, Key: key })
    const got = await client.send(command, { abortSignal: signal }).catch(absentIf(NoSuchKey))
    return got && Buffer.from((await got.Body?.transformToByteArray()) ?? [])
  }
}

/** What a deployment's bucket has, with the operator's own permissions. */
export function openStores(bucket: string) {
  const client = awsClients.bucket()
  return {
    snapshots: createSnapshotStore(bucket, client),
    changes: createChangeSetStore(bucket, client),
    tables: createTableStore(bucket, client),
  }
}
