import { copyFile, open, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { writeError } from '../../../operator/errors.ts'
import type { Bucket } from './bucket.ts'
import type { ObjectContent, ObjectVersion } from './journal.ts'
import { receiveBody } from './received-body.ts'
import { S3Error } from './s3-error.ts'

/** PutObject. */
export function putObject(bucket: Bucket, key: string, request: IncomingMessage): Promise<ObjectVersion> {
  const { headers } = request
  refuseOptions(headers)
  if ((headers['content-length'] ?? headers['x-amz-decoded-content-length']) === undefined)
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.')
  return store({ bucket, key, headers }, async (path) => {
    const file = await open(path, 'wx', 0o600)
    try {
      const { sizeBytes, md5, checksums } = await receiveBody(request, (chunk) => file.appendFile(chunk))
      const stored = { ...storedHeaders(headers), ...checksums }
      return { kind: 'object', sizeBytes, etag: `"${md5}"`, headers: stored }
    } finally {
      await file.close()
    }
  })
}

/** CopyObject. */
export function copyObject(
  bucket: Bucket,
  key: string,
  { headers, source }: { readonly headers: IncomingHttpHeaders; readonly source: ObjectVersion },
): Promise<ObjectVersion> {
  refuseOptions(headers)
  return store({ bucket, key, headers }, async (path) => {
    await copyFile(bucket.fileOf(source), path)
    const { kind, sizeBytes, etag } = source
    const isReplaced = headers['x-amz-metadata-directive'] === 'REPLACE'
    return { kind, sizeBytes, etag, headers: isReplaced ? storedHeaders(headers) : source.headers }
  })
}

interface Target {
  readonly bucket: Bucket
  readonly key: string
  readonly headers: IncomingHttpHeaders
}

async function store(
  { bucket, key, headers }: Target,
  writeFile: (path: string) => Promise<ObjectContent>,
): Promise<ObjectVersion> {
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
  /^x-amz-(date|content-sha256|decoded-content-length|trailer|sdk-checksum-algorithm|user-agent|copy-source|metadata-directive|(meta|checksum)-.*)$/

function refuseOptions(headers: IncomingHttpHeaders): void {
  const refused = Object.keys(headers).filter(
    (name) => name.startsWith('x-amz-') && !servedOptions.test(name),
  )
  if (refused.length > 0)
    throw new S3Error('NotImplemented', `The S3 of npm start does not have ${refused.join(', ')}.`)
}
