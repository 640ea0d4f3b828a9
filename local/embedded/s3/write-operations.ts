import { copyFile, open, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { writeError } from '../../../operator/errors.ts'
import type { Bucket } from './bucket.ts'
import type { ContentVersion, ObjectContent } from './journal.ts'
import { type RequestBody, receiveBody, receiveText } from './received-body.ts'
import { S3Error } from './s3-error.ts'
import { elementContent, elementsOf, type Xml, xmlDocument } from './xml.ts'

/** PutObject. */
export function putObject(bucket: Bucket, key: string, request: IncomingMessage): Promise<ContentVersion> {
  const { headers } = request
  refuseOptions(headers)
  return storeObject({ bucket, key, headers }, async (path) => {
    const { sizeBytes, md5, checksums } = await receiveFile(request, path)
    const stored = { ...storedHeaders(headers), ...checksums }
    return { kind: 'object', sizeBytes, etag: `"${md5}"`, headers: stored }
  })
}

/** Writes the body of a request to a new file. Throws `S3Error`, and `CommandError` if the system refuses to write. */
async function receiveFile(request: IncomingMessage, path: string): Promise<RequestBody> {
  const { headers } = request
  if ((headers['content-length'] ?? headers['x-amz-decoded-content-length']) === undefined)
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.')
  const file = await open(path, 'wx', 0o600)
  try {
    return await receiveBody(request, (chunk) => file.appendFile(chunk))
  } catch (error) {
    throw writeError(path, error)
  } finally {
    await file.close()
  }
}

/** CopyObject. */
export function copyObject(
  bucket: Bucket,
  key: string,
  { headers, source }: { readonly headers: IncomingHttpHeaders; readonly source: ContentVersion },
): Promise<ContentVersion> {
  refuseOptions(headers)
  return storeObject({ bucket, key, headers }, async (path) => {
    await copyFile(bucket.fileOf(source), path)
    const { kind, sizeBytes, etag } = source
    const isReplaced = headers['x-amz-metadata-directive'] === 'REPLACE'
    return { kind, sizeBytes, etag, headers: isReplaced ? storedHeaders(headers) : source.headers }
  })
}

export interface WrittenObject {
  readonly bucket: Bucket
  readonly key: string
  readonly headers: IncomingHttpHeaders
}

async function storeObject(
  { bucket, key, headers }: WrittenObject,
  writeFile: (path: string) => Promise<ObjectContent>,
): Promise<ContentVersion> {
  const file = bucket.uploadFile()
  try {
    const content = await writeFile(file)
    const condition = { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] }
    return bucket.put(key, { file, content }, condition)
  } catch (error) {
    throw writeError(file, error)
  } finally {
    await rm(file, { force: true })
  }
}

const standardHeaders = [
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'expires',
]

/** What a response repeats. */
function storedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => standardHeaders.includes(name) || name.startsWith('x-amz-meta-'),
  )
  const encoding = (headers['content-encoding'] ?? '').split(/ *, */).filter((name) => name !== 'aws-chunked')
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    ...(encoding.join('') !== '' && { 'content-encoding': encoding.join(', ') }),
  }
}

const servedOptions =
  /^x-amz-(api-version|date|content-sha256|decoded-content-length|trailer|sdk-checksum-algorithm|user-agent|copy-source|metadata-directive|mp-object-size|(meta|checksum)-.*)$/

function refuseOptions(headers: IncomingHttpHeaders): void {
  const refused = Object.keys(headers).filter(
    (name) => name.startsWith('x-amz-') && !servedOptions.test(name),
  )
  if (refused.length > 0)
    throw new S3Error('NotImplemented', `The S3 of npm start does not have ${refused.join(', ')}.`)
}

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
