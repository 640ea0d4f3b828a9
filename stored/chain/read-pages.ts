import { constants, gunzipSync } from 'node:zlib'
import { freeMemory } from '../../functions/runtime/free-memory.ts'
import { readAhead } from '../../functions/runtime/read-ahead.ts'
import { lineFeed } from '../documents/json-bytes.ts'
import { isIntact } from '../intact.ts'
import type { NamedObject } from '../snapshots/manifest.ts'
import { documentsOfRecords } from './record.ts'

/** An object that a manifest names: a page of a snapshot, or a part with withheld documents. */
export interface DescribedObject extends NamedObject {
  /** Records of increments are read as their documents. */
  readonly holds?: 'records'
  /** If only the first lines are used: how many, and of how many. */
  readonly used?: { readonly lines: number; readonly of: number }
}

export interface PageSource {
  /** The bytes of an object, or undefined if there is none. They are not used elsewhere. */
  readonly readObject: (key: string) => Promise<Uint8Array | undefined>
  /** Throws if too little time is left to continue. */
  readonly checkTime: () => void
  /** What to throw if an object is missing or damaged. */
  readonly damaged: (message: string) => Error
}

export interface Page {
  /** Position in the list of objects. */
  readonly index: number
  /** The documents, one per line. */
  readonly text: Buffer
}

/** Objects that are requested ahead of the one in use. S3 takes many times as long to respond as a page takes to process. */
const maxAhead = 32
const maxBytesAhead = 16 * 1024 * 1024

/** Reads the objects at these positions, in order. */
export async function* readPages(
  { readObject, checkTime, damaged }: PageSource,
  objects: readonly DescribedObject[],
  positions: readonly number[],
): AsyncGenerator<Page> {
  const objectAt = (index: number) => {
    const object = objects[index]
    if (!object) throw new Error(`There is no object ${index} of ${objects.length}.`)
    return object
  }
  const bytesOf = (ahead: readonly number[]) => ahead.reduce((sum, index) => sum + objectAt(index).bytes, 0)
  const bodies = readAhead(
    positions,
    (index) => readObject(objectAt(index).key),
    (ahead) => ahead.length < maxAhead && bytesOf(ahead) < maxBytesAhead,
  )
  let at = 0
  for (const body of bodies) {
    checkTime()
    const index = positions[at++] ?? 0
    yield { index, text: unpack(objectAt(index), await body, damaged) }
  }
}

function unpack(
  object: DescribedObject,
  body: Uint8Array | undefined,
  damaged: PageSource['damaged'],
): Buffer {
  const { key, holds, used } = object
  if (!body) throw damaged(`The object ${key} is missing.`)
  if (!isIntact(object, body))
    throw damaged(`The object ${key} is damaged: its hash differs from its manifest.`)
  const size = new DataView(body.buffer, body.byteOffset).getUint32(body.length - 4, true)
  // One piece, and not from the pool: a gzip file ends with the size of its content (RFC 1952).
  const chunkSize = Math.max(Buffer.poolSize, size + 1)
  const beginning = used && !holds ? Math.ceil(body.length * (used.lines / used.of + spareShare)) : Infinity
  let text = Buffer.alloc(0)
  if (beginning < body.length)
    text = gunzipSync(body.subarray(0, beginning), { chunkSize, finishFlush: constants.Z_SYNC_FLUSH })
  if (!used || !hasLines(text, used.lines)) text = gunzipSync(body, { chunkSize })
  freeMemory(body)
  return holds === 'records' ? documentsOfRecords(text) : text
}

/** Documents differ in size. */
const spareShare = 1 / 32

function hasLines(text: Buffer, lines: number): boolean {
  let at = 0
  for (let line = 0; line < lines; line++) {
    at = text.indexOf(lineFeed, at) + 1
    if (at === 0) return false
  }
  return true
}
