import type { IncomingMessage } from 'node:http'
import { GetObjectCommand, S3ServiceException } from '@aws-sdk/client-s3'
import type { ObjectVersion, ObjectVersionStore } from '../../stored/object-versions.aws.ts'
import { createObjectVersionStore } from '../../stored/object-versions.aws.ts'
import { awsClients } from './clients.aws.ts'

export interface StoredVersions extends ObjectVersionStore {
  /** The content of a version; undefined if it was deleted. */
  readonly read: (version: Pick<ObjectVersion, 'key' | 'versionId'>) => Promise<Buffer | undefined>
}

export function openVersions(bucket: string, client = awsClients.bucket()): StoredVersions {
  return {
    ...createObjectVersionStore(bucket, client),

    async read({ key, versionId }) {
      const command = new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId })
      const got = await client.send(command).catch((error: unknown): undefined => {
        if (!(error instanceof S3ServiceException && goneNames.has(error.name))) throw error
      })
      // In Node the SDK returns the response of node:http.
      return got && Buffer.concat(await Array.fromAsync(got.Body as IncomingMessage))
    },
  }
}

const goneNames: ReadonlySet<string> = new Set(['NoSuchKey', 'NoSuchVersion'])
