import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { failureOf } from '../../operator/errors.ts'
import { clientSettings } from './environment.ts'
import { serveGuarded } from './guard.ts'
import type { Served } from './listen.ts'
import { Bucket, failedCondition, isSameEtag } from './s3/bucket.ts'
import { type ContentVersion, openJournal } from './s3/journal.ts'
import { keptVersions } from './s3/kept-versions.ts'
import { listObjects, listObjectVersions, owner } from './s3/listings.ts'
import { type Call, readCall } from './s3/operation.ts'
import { wantedBytes } from './s3/range.ts'
import { S3Error } from './s3/s3-error.ts'
import { copyObject, deleteNamed, deleteObject, putObject } from './s3/write-operations.ts'
import { xmlDocument } from './s3/xml.ts'

export interface S3Options {
  readonly bucket?: string
  /** Where the objects are kept. If undefined, in a temporary folder until the server is closed. */
  readonly folder?: string | undefined
}

/** S3 with one bucket, which keeps versions as the deployed one does. */
export async function startS3(options: S3Options = {}): Promise<Served> {
  const { bucket: name = 'longshore-snapshots' } = options
  const temporary = options.folder === undefined ? mkdtempSync(join(tmpdir(), 'longshore-s3-')) : undefined
  const remove = () => temporary && rmSync(temporary, { recursive: true, force: true })
  process.once('exit', remove)
  const folder = options.folder ?? (temporary as string)
  const bucket = new Bucket(openJournal(folder, keptVersions))
  const served = { name, bucket }
  const listening = await serveGuarded('xml', (request, response) =>
    respond(served, { request, response }).catch((error) => fail(error, { request, response })),
  )
  return {
    endpoint: listening.endpoint,
    async close() {
      await listening.close()
      remove()
      process.off('exit', remove)
    },
  }
}

const noSuchBucket = new S3Error('NoSuchBucket', 'The specified bucket does not exist.')

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

const startedAt = new Date().toISOString()

interface ServedBucket {
  readonly name: string
  readonly bucket: Bucket
}

async function respond({ name, bucket }: ServedBucket, { request, response }: Exchange): Promise<void> {
  const call = readCall(request.method ?? '', request.url ?? '')
  if (call.bucket !== name && call.bucket !== '') throw noSuchBucket
  const { key, parameters } = call
  switch (call.operation) {
    case 'ListBuckets': {
      // The AWS CLI fails without a date.
      const Buckets = { Bucket: { Name: name, CreationDate: startedAt } }
      return sendXml(response, xmlDocument('ListAllMyBucketsResult', { Owner: owner, Buckets }))
    }
    case 'HeadBucket':
      return void response.writeHead(200, { 'x-amz-bucket-region': clientSettings.region }).end()
    case 'GetBucketLocation':
      // S3 API reference: the constraint of us-east-1 is empty.
      return sendXml(response, xmlDocument('LocationConstraint', ''))
    case 'ListObjectsV2':
    case 'ListObjects':
      return sendXml(response, listObjects({ name, bucket, parameters }))
    case 'ListObjectVersions':
      return sendXml(response, listObjectVersions({ name, bucket, parameters }))
    case 'DeleteObjects':
      return sendXml(response, await deleteNamed(bucket, request))
    case 'GetObject':
    case 'HeadObject':
      return readObject(bucket, call, { request, response })
    case 'PutObject': {
      const source = request.headers['x-amz-copy-source']
      if (source === undefined) return sendWritten(response, await putObject(bucket, key, request))
      const found = findSource(name, bucket, String(source))
      const copy = await copyObject(bucket, key, { headers: request.headers, source: found })
      return sendWritten(response, copy, 'CopyObjectResult')
    }
    case 'DeleteObject': {
      const { versionId, isMarker } = await deleteObject(bucket, key, parameters.get('versionId'))
      const marker = isMarker ? { 'x-amz-delete-marker': 'true' } : {}
      return void response.writeHead(204, { 'x-amz-version-id': versionId, ...marker }).end()
    }
  }
}

/** `bucket/key?versionId=…`, of which the path is encoded. */
function findSource(name: string, bucket: Bucket, source: string): ContentVersion {
  const call = readCall('GET', source.startsWith('/') ? source : `/${source}`)
  if (call.bucket !== name) throw noSuchBucket
  return bucket.object(call.key, call.parameters.get('versionId'))
}

function sendWritten(response: ServerResponse, version: ContentVersion, copied?: 'CopyObjectResult'): void {
  const { etag, versionId, writtenAt, headers } = version
  const checksums = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-checksum-'))
  response.writeHead(200, { ...Object.fromEntries(checksums), etag, 'x-amz-version-id': versionId })
  if (!copied) return void response.end()
  response.end(xmlDocument(copied, { ETag: etag, LastModified: new Date(writtenAt).toISOString() }))
}

function sendXml(response: ServerResponse, xml: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(xml)
}

function fail(error: unknown, { request, response }: Exchange): void {
  // Its status was sent, or nobody waits for it.
  if (response.headersSent || response.destroyed) return void response.destroy()
  const known =
    error instanceof S3Error
      ? error
      : { status: 500, code: 'InternalError', message: failureOf(error).message, headers: {} }
  const body = xmlDocument('Error', { Code: known.code, Message: known.message })
  request.resume()
  response.writeHead(known.status, { ...known.headers, 'content-type': 'application/xml' })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** GetObject and HeadObject. */
async function readObject(
  bucket: Bucket,
  { key, parameters }: Call,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const version = bucket.object(key, parameters.get('versionId'))
  const { method, headers } = request
  if (headers['if-match'] !== undefined && !isSameEtag(headers['if-match'], version.etag))
    throw failedCondition
  if (headers['if-none-match'] !== undefined && isSameEtag(headers['if-none-match'], version.etag))
    return void response.writeHead(304, { etag: version.etag }).end()
  const { sizeBytes } = version
  const wanted = wantedBytes(headers.range, sizeBytes)
  if (wanted.kind === 'unsatisfiable')
    throw new S3Error('InvalidRange', 'The requested range is not satisfiable.', {
      'content-range': `bytes */${sizeBytes}`,
    })
  const isPart = wanted.kind === 'part'
  const size = isPart ? wanted.last - wanted.first + 1 : sizeBytes
  // Opened before the headers are sent, so that a version that is deleted now can still be read.
  const file = method === 'GET' && size > 0 ? await open(bucket.fileOf(version)) : undefined
  response.writeHead(isPart ? 206 : 200, {
    ...headersOf(version),
    ...overridesOf(parameters),
    'content-length': size,
    ...(isPart && { 'content-range': `bytes ${wanted.first}-${wanted.last}/${sizeBytes}` }),
  })
  if (!file) return void response.end()
  await pipeline(file.createReadStream(isPart ? { start: wanted.first, end: wanted.last } : {}), response)

  function headersOf({ etag, versionId, writtenAt, headers: stored }: ContentVersion) {
    const all = Object.entries(stored)
    // The checksum is that of the whole object.
    const hasChecksum = headers['x-amz-checksum-mode'] !== undefined && !isPart
    return {
      'content-type': 'binary/octet-stream',
      ...Object.fromEntries(all.filter(([name]) => hasChecksum || !name.startsWith('x-amz-checksum-'))),
      etag,
      'accept-ranges': 'bytes',
      'last-modified': new Date(writtenAt).toUTCString(),
      'x-amz-version-id': versionId,
    }
  }
}

/** The parameters `response-content-type` and so on are headers of the response. */
function overridesOf(parameters: URLSearchParams): Record<string, string> {
  const overrides = [...parameters].filter(([name]) => name.startsWith('response-'))
  return Object.fromEntries(overrides.map(([name, value]) => [name.slice('response-'.length), value]))
}
