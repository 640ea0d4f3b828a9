import { open } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type Bucket, failedCondition, isSameEtag } from './bucket.ts'
import type { ContentVersion } from './journal.ts'
import type { Call } from './operation.ts'
import { wantedBytes } from './range.ts'
import { S3Error } from './s3-error.ts'

/** GetObject and HeadObject. */
export async function readObject(
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
