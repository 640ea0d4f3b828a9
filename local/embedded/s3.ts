import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../../operator/errors.ts'
import { clientSettings } from './environment.ts'
import { serveGuarded } from './guard.ts'
import type { Served } from './listen.ts'
import { Bucket } from './s3/bucket.ts'
import { type ContentVersion, openJournal } from './s3/journal.ts'
import { keptVersions } from './s3/kept-versions.ts'
import { listObjects, listObjectVersions } from './s3/listings.ts'
import { readCall } from './s3/operation.ts'
import { readObject } from './s3/read-object.ts'
import { S3Error } from './s3/s3-error.ts'
import { copyObject, deleteNamed, deleteObject, putObject } from './s3/write-object.ts'
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
    case 'ListBuckets':
      return sendXml(
        response,
        // The AWS CLI fails without a date.
        xmlDocument('ListAllMyBucketsResult', {
          Buckets: { Bucket: { Name: name, CreationDate: startedAt } },
        }),
      )
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
