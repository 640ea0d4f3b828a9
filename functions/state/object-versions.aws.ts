import {
  type _Error as DeleteError,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  S3Client,
} from '@aws-sdk/client-s3'
import { clientLimits } from '../runtime/client-limits.ts'
import { deletionBatches } from './deletion-batches.ts'

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

  /** Deletes at most 1,000 versions. Returns what failed. */
  async function deleteBatch(versions: readonly ObjectVersion[]): Promise<DeleteError[]> {
    const Objects = versions.map(({ key, versionId }) => ({ Key: key, VersionId: versionId }))
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
    )
    return Errors
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

    /**
     * Deletes versions, those of manifests first. One that cannot be deleted does not stop the others of its kind; it
     * fails at the end. `onBatch` is called before each request, with the number of versions before it, and may throw.
     */
    async deleteVersions(
      versions: readonly ObjectVersion[],
      onBatch: (done: number) => void = () => undefined,
    ): Promise<void> {
      let done = 0
      for (const batches of deletionBatches(versions, ({ key }) => key)) {
        const errors: DeleteError[] = []
        for (const batch of batches) {
          onBatch(done)
          done += batch.length
          const failed = new Set((await deleteBatch(batch)).map(({ Key }) => Key))
          // S3 reports internal errors of single versions in its response, so that the SDK does not repeat them.
          if (failed.size > 0) errors.push(...(await deleteBatch(batch.filter(({ key }) => failed.has(key)))))
        }
        const [first] = errors
        if (!first) continue
        const { Key, Code = 'unknown', Message = '' } = first
        throw new Error(
          `Cannot delete ${errors.length} of ${versions.length} object versions. The first one is of ${Key}: ${Code} ${Message}`.trim(),
        )
      }
    },
  }
}
