import { type _Error as DeleteError, DeleteObjectsCommand, type S3Client } from '@aws-sdk/client-s3'

/** S3's limit of one DeleteObjects. */
const maxDeletes = 1000
/** S3 reports internal errors of single objects in its response, so that the SDK does not repeat them. */
const maxTries = 3

export interface DeletedObject {
  readonly Key: string
  /** Undefined to delete what the key names now. */
  readonly VersionId?: string
}

/**
 * Deletes objects of a bucket: manifests, and then what manifests name, so that readers never follow one to objects that
 * are gone, although a deletion may stop in between. If S3 refuses to delete an object, the others are deleted all the
 * same, except those in the folder of a refused manifest. Throws at the end. `onBatch` is called before each request,
 * with the number of objects before it, and may throw.
 */
export async function deleteObjects(
  { client, bucket }: { readonly client: S3Client; readonly bucket: string },
  objects: readonly DeletedObject[],
  onBatch: (done: number) => void = () => undefined,
): Promise<void> {
  const errors: DeleteError[] = []
  let done = 0

  /** Returns what S3 refused. */
  async function deleteBatch(Objects: DeletedObject[], tries = 1): Promise<DeleteError[]> {
    const Delete = { Objects, Quiet: true }
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete }))
    if (Errors.length === 0 || tries === maxTries) return Errors
    const refused = new Set(Errors.map(({ Key }) => Key))
    return deleteBatch(
      Objects.filter(({ Key }) => refused.has(Key)),
      tries + 1,
    )
  }

  async function deleteKind(kind: readonly DeletedObject[]): Promise<void> {
    for (let at = 0; at < kind.length; at += maxDeletes) {
      const batch = kind.slice(at, at + maxDeletes)
      onBatch(done)
      done += batch.length
      errors.push(...(await deleteBatch(batch)))
    }
  }

  await deleteKind(objects.filter(({ Key }) => isManifest(Key)))
  const kept = new Set(errors.map(({ Key = '' }) => folderOf(Key)))
  await deleteKind(objects.filter(({ Key }) => !isManifest(Key) && !kept.has(folderOf(Key))))
  const [first] = errors
  if (!first) return
  const { Key, Code = 'unknown', Message = '' } = first
  throw new Error(
    `Cannot delete ${errors.length} of ${objects.length} objects. The first one is ${Key}: ${Code} ${Message}`.trim(),
  )
}

const isManifest = (key: string) => key.endsWith('.json')

/** What a manifest and the objects that it names have in common: a run's folder, or all of an entity's Iceberg table. */
const folderOf = (key: string) =>
  key
    .split('/')
    .slice(0, key.startsWith('iceberg/') ? 2 : -1)
    .join('/')
