import { ListObjectVersionsCommand, type ListObjectVersionsCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { clientLimits } from '../functions/runtime/client-limits.ts'
import { deleteObjects } from './delete-objects.aws.ts'

/** A version of an object. Delete markers have no content and are not listed. */
export interface ObjectVersion {
  readonly key: string
  readonly versionId: string
  /** False if the object was deleted or overwritten. */
  readonly isLatest: boolean
  /** Epoch milliseconds. */
  readonly writtenAt: number
}

export type ObjectVersionStore = ReturnType<typeof createObjectVersionStore>

/** The versions of the objects of one bucket. A version that is deleted cannot be restored. */
export function createObjectVersionStore(bucket: string, client = new S3Client(clientLimits.bucket)) {
  async function* list(prefix: string, delimiter?: '/'): AsyncGenerator<ListObjectVersionsCommandOutput> {
    let KeyMarker: string | undefined
    let VersionIdMarker: string | undefined
    do {
      const page: ListObjectVersionsCommandOutput = await client.send(
        new ListObjectVersionsCommand({
          Bucket: bucket,
          Prefix: prefix,
          Delimiter: delimiter,
          KeyMarker,
          VersionIdMarker,
        }),
      )
      yield page
      KeyMarker = page.NextKeyMarker
      VersionIdMarker = page.NextVersionIdMarker
    } while (KeyMarker)
  }

  return {
    /** The names of the folders directly below a prefix, including those in which every object is deleted. */
    async listFolders(prefix: string): Promise<string[]> {
      const names: string[] = []
      for await (const { CommonPrefixes = [] } of list(prefix, '/'))
        for (const { Prefix = '' } of CommonPrefixes) names.push(Prefix.slice(prefix.length, -1))
      return names
    },

    /** Pages of at most 1,000 versions. */
    async *listVersions(prefix: string): AsyncGenerator<ObjectVersion[]> {
      for await (const { Versions = [] } of list(prefix))
        yield Versions.map(({ Key = '', VersionId = 'null', IsLatest = true, LastModified }) => ({
          key: Key,
          versionId: VersionId,
          isLatest: IsLatest,
          writtenAt: LastModified?.getTime() ?? 0,
        }))
    },

    /** Deletes versions as `deleteObjects` does. */
    deleteVersions(versions: readonly ObjectVersion[], onBatch?: (done: number) => void): Promise<void> {
      const objects = versions.map(({ key, versionId }) => ({ Key: key, VersionId: versionId }))
      return deleteObjects({ client, bucket }, objects, onBatch)
    },
  }
}
