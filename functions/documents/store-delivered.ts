import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { type DeliveredVersions, partKey } from '../state/changes/changes.ts'
import { type DeliveredById, encodeVersions } from './delivered-versions.ts'

interface DeliveredTarget {
  readonly writePart: (key: string, body: Buffer, sha256: string) => Promise<unknown>
}

/** Stores what increments have delivered with the set of a run. */
export async function storeDelivered(
  { writePart }: DeliveredTarget,
  set: { readonly entity: string; readonly runId: string },
  versions: DeliveredById,
): Promise<DeliveredVersions> {
  const body = gzipSync(encodeVersions(versions), { level: 1 })
  const sha256 = hash('sha256', body, 'hex')
  const key = partKey(set, 'delivered', sha256)
  await writePart(key, body, sha256)
  return { key, versions: versions.size, bytes: body.length, sha256 }
}
