import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { readAhead } from '../../functions/runtime/read-ahead.ts'
import type { ChangePart } from '../../stored/changes/changes.ts'
import { lineFeed } from '../../stored/documents/json-bytes.ts'
import { isIntact } from '../../stored/intact.ts'
import type { ManifestPage, NamedObject } from '../../stored/snapshots/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { DamagedData } from '../errors.ts'
import { splitLines } from './lines.ts'

/** A gzip object that a manifest lists. */
export interface ManifestObject extends NamedObject {
  /** Documents or records: one per line. */
  readonly count: number
}

export const objectsOfPages = (pages: readonly ManifestPage[]): ManifestObject[] =>
  pages.map(({ documents, ...object }) => ({ ...object, count: documents }))

export const objectsOfParts = (parts: readonly ChangePart[]): ManifestObject[] =>
  parts.map(({ records, ...object }) => ({ ...object, count: records }))

/** Enough to use the bandwidth, few enough to fit in memory. */
const maxConcurrentReads = 8

/** The lines of an object. Throws `DamagedData` unless it is what the manifest lists. */
async function linesOf(object: ManifestObject, read: ReadObject): Promise<Buffer> {
  const { key, bytes, count } = object
  const damaged = (problem: string) => new DamagedData(`The stored data is damaged: ${key}: ${problem}.`)
  const body = await read(key)
  if (!body) throw damaged('not found in the bucket')
  if (body.length !== bytes) throw damaged(`${body.length} bytes; the manifest has ${bytes}`)
  if (!isIntact(object, body)) throw damaged('its SHA-256 differs from the manifest')
  const lines = await promisify(gunzip)(body).catch(() => undefined)
  if (!lines) throw damaged('not gzip')
  if (lines.length > 0 && lines.at(-1) !== lineFeed) throw damaged('its last line is cut off')
  const found = countLines(lines)
  if (found !== count) throw damaged(`${found} lines; the manifest has ${count}`)
  return lines
}

function countLines(lines: Buffer): number {
  let count = 0
  for (let at = lines.indexOf(lineFeed); at >= 0; at = lines.indexOf(lineFeed, at + 1)) count++
  return count
}

/**
 * The lines of each object in order; the following ones are fetched at the same time. Reports how many lines were read so
 * far. Throws `DamagedData`.
 */
export async function* intactLines(
  objects: readonly ManifestObject[],
  read: ReadObject,
  onProgress: (done: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  let done = 0
  onProgress(done)
  const open = async (object: ManifestObject) => ({ ...object, lines: await linesOf(object, read) })
  for (const opened of readAhead(objects, open, (ahead) => ahead.length < maxConcurrentReads)) {
    const { lines, count } = await opened
    done += count
    yield lines
    onProgress(done)
  }
}

/** The lines of one object. Throws `DamagedData`. */
export const readIntactLines = async (object: ManifestObject, read: ReadObject): Promise<Buffer[]> => [
  ...splitLines(await linesOf(object, read)),
]

/** Throws `DamagedData` unless the objects of a manifest have as many lines as it reports. */
export function requireCount(key: string, objects: readonly ManifestObject[], expected: number): void {
  const sum = objects.reduce((total, { count }) => total + count, 0)
  if (sum === expected) return
  throw new DamagedData(
    `The stored data is damaged: ${key}: its objects have ${sum} lines; the manifest has ${expected}.`,
  )
}
