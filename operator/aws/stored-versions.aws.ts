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
      try {
        const { Body } = await client.send(command)
        // In Node the SDK returns the response of node:http.
        return Buffer.concat(await Array.fromAsync(Body as IncomingMessage))
      } catch (error) {
        if (error instanceof S3ServiceException && goneNames.has(error.name)) return undefined
        throw error
      }
    },
  }
}

const goneNames: ReadonlySet<string> = new Set(['NoSuchKey', 'NoSuchVersion'])
