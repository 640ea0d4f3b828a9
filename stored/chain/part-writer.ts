import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Log } from '../../functions/runtime/log.ts'
import type { SetFolder } from '../changes/change-keys.ts'
import type { ChangeSetStore } from '../changes/change-sets.aws.ts'
import type { ChangePart, DeliveredVersions } from '../changes/changes.ts'
import { isIntact } from '../intact.ts'
import { type DeliveredById, decodeVersions, encodeVersions } from './delivered-versions.ts'

/** Bounds of a part, so that readers and the HTTP API can work part by part. */
const maxPartRecords = 10_000
const maxPartBytes = 8 * 1024 * 1024
/** As for the pages of snapshots: docs/adr/0005-compression-level.md. */
const level = 1
const lineFeed = Buffer.from('\n')

/** Stores a part under a name made of its hash. Returns its key. */
export type StorePart = (body: Buffer, sha256: string) => Promise<string>

/** Collects lines and stores them as parts of bounded size. */
export class PartWriter {
  readonly #store: StorePart
  readonly #parts: ChangePart[] = []
  #buffer = Buffer.alloc(0)
  #bytes = 0
  #records = 0

  constructor(store: StorePart) {
    this.#store = store
  }

  /** Copies a line made of these pieces. */
  async addLine(...pieces: readonly Uint8Array[]): Promise<void> {
    const length = pieces.reduce((sum, piece) => sum + piece.length, lineFeed.length)
    if (this.#records === maxPartRecords || this.#bytes + length > maxPartBytes) await this.#flush()
    // A line that is larger than a part is a part of its own.
    if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(Math.max(maxPartBytes, length))
    for (const piece of pieces) this.#append(piece)
    this.#append(lineFeed)
    this.#records++
  }

  /** Stores what is left, and returns all parts. */
  async finish(): Promise<readonly ChangePart[]> {
    await this.#flush()
    return this.#parts
  }

  #append(piece: Uint8Array): void {
    this.#buffer.set(piece, this.#bytes)
    this.#bytes += piece.length
  }

  async #flush(): Promise<void> {
    if (this.#records === 0) return
    const body = gzipSync(this.#buffer.subarray(0, this.#bytes), { level })
    const sha256 = hash('sha256', body, 'hex')
    const key = await this.#store(body, sha256)
    this.#parts.push({ key, records: this.#records, bytes: body.length, sha256 })
    this.#bytes = 0
    this.#records = 0
  }
}

/** Stores what increments have delivered with the set of a run. */
export async function storeDelivered(
  { writePart }: Pick<ChangeSetStore, 'writePart'>,
  set: SetFolder & { readonly now: number },
  versions: DeliveredById,
): Promise<DeliveredVersions> {
  const body = gzipSync(encodeVersions(versions), { level: 1 })
  const sha256 = hash('sha256', body, 'hex')
  const key = await writePart({ ...set, kind: 'delivered' }, body, sha256)
  return { key, versions: versions.size, bytes: body.length, sha256 }
}

/** What increments have delivered. Without the object the lookback is delivered again, which is harmless. */
export async function readDelivered(
  { changes, log }: { readonly changes: Pick<ChangeSetStore, 'readObject'>; readonly log: Log },
  delivered: DeliveredVersions | undefined,
): Promise<DeliveredById> {
  if (!delivered) return new Map()
  const body = await changes.readObject(delivered.key)
  if (body && isIntact(delivered, body)) return decodeVersions(gunzipSync(body))
  log('WARN', 'delivered versions are gone', { key: delivered.key })
  return new Map()
}
