import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { readAhead } from '../../functions/runtime/read-ahead.ts'
import type { ChangePart } from '../../stored/changes/changes.ts'
import { lineFeed } from '../../stored/documents/json-bytes.ts'
import { isIntact } from '../../stored/intact.ts'
import type { ManifestPage, NamedObject } from '../../stored/snapshots/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'

/** A gzip object that a manifest lists. */
export interface ManifestObject extends NamedObject {
  /** Documents or records: one per line. */
  readonly count: number
}

export const objectsOfPages = (pages: readonly ManifestPage[]): ManifestObject[] =>
  pages.map(({ documents, ...object }) => ({ ...object, count: documents }))

export const objectsOfParts = (parts: readonly ChangePart[]): ManifestObject[] =>
  parts.map(({ records, ...object }) => ({ ...object, count: records }))

/** An object compared with its entry in the manifest: its lines, or what is wrong with it. */
export type CheckedObject = { readonly object: ManifestObject; readonly lines: Buffer } | DamagedObject

export interface DamagedObject {
  readonly object: ManifestObject
  readonly problem: string
}

/** Enough to use the bandwidth, few enough to fit in memory. */
const maxConcurrentReads = 8

/** Checks objects in order; the following ones are fetched at the same time. */
export async function* checkedObjects(
  objects: readonly ManifestObject[],
  read: ReadObject,
): AsyncGenerator<CheckedObject> {
  const check = async (object: ManifestObject) => checkBytes(object, await read(object.key))
  for (const checked of readAhead(objects, check, (ahead) => ahead.length < maxConcurrentReads))
    yield await checked
}

export async function checkBytes(object: ManifestObject, body: Buffer | undefined): Promise<CheckedObject> {
  if (!body) return { object, problem: 'not found in the bucket' }
  if (!isIntact(object, body)) {
    const size =
      body.length === object.bytes ? undefined : `${body.length} bytes; the manifest has ${object.bytes}`
    return { object, problem: size ?? 'its SHA-256 differs from the manifest' }
  }
  const lines = await promisify(gunzip)(body).catch(() => undefined)
  if (!lines) return { object, problem: 'not gzip' }
  if (lines.length > 0 && lines.at(-1) !== lineFeed) return { object, problem: 'its last line is cut off' }
  const count = countLines(lines)
  if (count !== object.count) return { object, problem: `${count} lines; the manifest has ${object.count}` }
  return { object, lines }
}

function countLines(lines: Buffer): number {
  let count = 0
  for (let at = lines.indexOf(lineFeed); at >= 0; at = lines.indexOf(lineFeed, at + 1)) count++
  return count
}
