import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Log } from '../../functions/runtime/log.ts'
import type { SetFolder } from '../changes/change-keys.ts'
import type { ChangeSetStore } from '../changes/change-sets.aws.ts'
import type { DeliveredVersions } from '../changes/changes.ts'
import { isIntact } from '../intact.ts'
import { type DeliveredById, decodeVersions, encodeVersions } from './delivered-versions.ts'

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
