import { createHash, randomUUID } from 'node:crypto'
import { appendFile, readFile, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Bucket } from './bucket.ts'
import type { ObjectVersion } from './journal.ts'
import { type ReceivedBody, receiveText } from './received-body.ts'
import { S3Error } from './s3-error.ts'
import { receiveFile, refuseOptions, storedHeaders, storeObject } from './write-object.ts'
import { elementsOf, textOf } from './xml.ts'

interface Part extends ReceivedBody {
  readonly file: string
}

interface Upload {
  readonly headers: IncomingHttpHeaders
  readonly parts: Map<number, Part>
}

/** S3 user guide, "Amazon S3 multipart upload limits". The last part may be smaller. */
const minPartBytes = 5 * 1024 * 1024
const maxParts = 10_000

/** Uploads in parts that have begun, by key and id. They are lost when the process ends. */
export class MultipartUploads {
  readonly #bucket: Bucket
  readonly #uploads = new Map<string, Upload>()

  constructor(bucket: Bucket) {
    this.#bucket = bucket
  }

  /** Returns the id. */
  create(key: string, headers: IncomingHttpHeaders): string {
    refuseOptions(headers)
    const id = randomUUID()
    this.#uploads.set(nameOf(key, id), { headers, parts: new Map() })
    return id
  }

  /** A part with the number of an earlier one replaces it. */
  async addPart(key: string, parameters: URLSearchParams, request: IncomingMessage): Promise<ReceivedBody> {
    const { parts } = this.#find(key, parameters)
    const number = Number(parameters.get('partNumber'))
    if (!Number.isInteger(number) || number < 1 || number > maxParts)
      throw new S3Error('InvalidArgument', `Part number must be an integer between 1 and ${maxParts}.`)
    if (request.headers['x-amz-copy-source'] !== undefined)
      throw new S3Error(
        'NotImplemented',
        'The S3 of npm start does not copy parts of objects. Copy the whole object (aws s3api copy-object).',
      )
    const file = this.#bucket.uploadFile()
    const part = { ...(await receiveFile(request, file)), file }
    const replaced = parts.get(number)
    parts.set(number, part)
    if (replaced) await rm(replaced.file, { force: true })
    return part
  }

  async complete(key: string, parameters: URLSearchParams, request: IncomingMessage): Promise<ObjectVersion> {
    const { headers, parts } = this.#find(key, parameters)
    const listed = listedParts(await receiveText(request), parts)
    const bucket = this.#bucket
    const version = await storeObject({ bucket, key, headers: request.headers }, async (path) => {
      for (const { file } of listed) await appendFile(path, await readFile(file), { mode: 0o600 })
      const sums = Buffer.concat(listed.map(({ md5 }) => Buffer.from(md5, 'hex')))
      const etag = `"${createHash('md5').update(sums).digest('hex')}-${listed.length}"`
      const sizeBytes = listed.reduce((sum, part) => sum + part.sizeBytes, 0)
      return { kind: 'object', sizeBytes, etag, headers: storedHeaders(headers) }
    })
    await this.abort(key, parameters)
    return version
  }

  async abort(key: string, parameters: URLSearchParams): Promise<void> {
    const { parts } = this.#find(key, parameters)
    this.#uploads.delete(nameOf(key, parameters.get('uploadId')))
    for (const { file } of parts.values()) await rm(file, { force: true })
  }

  #find(key: string, parameters: URLSearchParams): Upload {
    const upload = this.#uploads.get(nameOf(key, parameters.get('uploadId')))
    if (upload) return upload
    throw new S3Error(
      'NoSuchUpload',
      'The upload does not exist: it was completed or aborted, or npm start was restarted.',
    )
  }
}

const nameOf = (key: string, id: string | null) => JSON.stringify([key, id])

/** The parts that the request lists by number and ETag, in its order. Throws `S3Error`. */
function listedParts(xml: string, parts: ReadonlyMap<number, Part>): Part[] {
  const listed = elementsOf(xml, 'Part').map((element) => ({
    number: Number(textOf(element, 'PartNumber')),
    etag: textOf(element, 'ETag')?.replaceAll('"', ''),
  }))
  const found = listed.map(({ number, etag }, index) => {
    const part = parts.get(number)
    const isNext = number > (listed[index - 1]?.number ?? 0)
    if (part && isNext && part.md5 === etag) return part
    throw new S3Error(
      'InvalidPart',
      `Part ${number} was not uploaded, has another ETag, or is not in ascending order.`,
    )
  })
  if (found.length === 0) throw new S3Error('MalformedXML', 'The request must list at least one part.')
  if (found.slice(0, -1).some(({ sizeBytes }) => sizeBytes < minPartBytes))
    throw new S3Error('EntityTooSmall', 'Each part but the last must have at least 5 MB.')
  return found
}
