import type { IncomingMessage } from 'node:http'
import type { Bucket } from './bucket.ts'
import { receiveText } from './received-body.ts'
import { S3Error } from './s3-error.ts'
import { elementContent, elementsOf, type Xml, xmlDocument } from './xml.ts'

/** What a deletion did: it hid an object behind a delete marker, or deleted a version. */
interface Deletion {
  readonly versionId: string
  readonly isMarker: boolean
}

/** DeleteObject: without a version id, the object is hidden. */
export async function deleteObject(bucket: Bucket, key: string, versionId: string | null): Promise<Deletion> {
  if (versionId === null) return { versionId: bucket.hide(key).versionId, isMarker: true }
  const version = bucket.find(key, versionId)
  if (version) await bucket.delete(version)
  return { versionId, isMarker: version?.kind === 'delete-marker' }
}

/** S3's limit of one request. */
const maxDeletes = 1000

export async function deleteNamed(bucket: Bucket, request: IncomingMessage): Promise<string> {
  const xml = await receiveText(request)
  const objects = elementsOf(xml, 'Object').map((object) => ({
    key: elementContent(object, 'Key') ?? '',
    versionId: elementContent(object, 'VersionId') ?? null,
  }))
  if (objects.length === 0 || objects.length > maxDeletes || objects.some(({ key }) => key === ''))
    throw new S3Error('MalformedXML', `The request must name 1 to ${maxDeletes} objects by their keys.`)
  const [deleted, errors]: [Xml[], Xml[]] = [[], []]
  for (const { key, versionId } of objects) {
    const named = { Key: key, VersionId: versionId ?? undefined }
    try {
      deleted.push({ ...named, ...elementsOfDeletion(await deleteObject(bucket, key, versionId)) })
    } catch (error) {
      errors.push({ ...named, Code: 'InternalError', Message: String(error) })
    }
  }
  const isQuiet = elementContent(xml, 'Quiet') === 'true'
  return xmlDocument('DeleteResult', { Deleted: isQuiet ? [] : deleted, Error: errors })
}

const elementsOfDeletion = ({ versionId, isMarker }: Deletion) =>
  isMarker ? { DeleteMarker: true, DeleteMarkerVersionId: versionId } : {}
