import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { DeliveredVersions } from '../state/changes/changes.ts'
import { type DeliveredById, encodeVersions } from './delivered-versions.ts'

interface DeliveredTarget {
  readonly writePart: (
    set: { readonly entity: string; readonly runId: string; readonly kind: 'delivered' },
    body: Buffer,
    sha256: string,
  ) => Promise<string>
}

/** Stores what increments have delivered with the set of a run. */
export async function storeDelivered(
  { writePart }: DeliveredTarget,
  set: { readonly entity: string; readonly runId: string },
  versions: DeliveredById,
): Promise<DeliveredVersions> {
  const body = gzipSync(encodeVersions(versions), { level: 1 })
  const sha256 = hash('sha256', body, 'hex')
  const key = await writePart({ ...set, kind: 'delivered' }, body, sha256)
  return { key, versions: versions.size, bytes: body.length, sha256 }
}
