import type { IncomingMessage } from 'node:http'
import { GetObjectCommand, S3ServiceException } from '@aws-sdk/client-s3'
import {
  createObjectVersionStore,
  type ObjectVersion,
  type ObjectVersionStore,
} from '../../functions/state/object-versions.aws.ts'
import { openObjects } from '../../functions/state/objects.aws.ts'
import { awsClients } from './clients.aws.ts'

export interface StoredVersions extends ObjectVersionStore {
  /** The content of a version; undefined if it was deleted. */
  readonly read: (version: Pick<ObjectVersion, 'key' | 'versionId'>) => Promise<Buffer | undefined>
}

/** All versions in a bucket. The one of `npm start` keeps none: there, each object is a version. */
export function openVersions(bucket: string, client = awsClients.bucket()): StoredVersions {
  const versions = createObjectVersionStore(bucket, client)
  const objects = openObjects(bucket, client)
  return {
    ...versions,

    async listFolders(prefix) {
      const names = new Set(await versions.listFolders(prefix))
      for await (const name of objects.listFolders(prefix)) names.add(name)
      return [...names].toSorted()
    },

    async *listVersions(prefix) {
      const listed = new Set<string>()
      for await (const page of versions.listVersions(prefix)) {
        for (const { key } of page) listed.add(key)
        yield page
      }
      const others: ObjectVersion[] = []
      for await (const object of objects.listObjects(prefix))
        if (!listed.has(object.key)) others.push({ ...object, versionId: 'null', isLatest: true })
      for (let at = 0; at < others.length; at += maxPage) yield others.slice(at, at + maxPage)
    },

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

/** As many versions as one request deletes. */
const maxPage = 1000

const goneNames: ReadonlySet<string> = new Set(['NoSuchKey', 'NoSuchVersion'])
