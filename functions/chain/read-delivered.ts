import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { Log } from '../runtime/log.ts'
import type { DeliveredVersions } from '../state/changes/changes.ts'
import { type DeliveredById, decodeVersions } from './delivered-versions.ts'

interface DeliveredSource {
  readonly changes: { readonly readObject: (key: string) => Promise<Buffer | undefined> }
  readonly log: Log
}

/** What increments have delivered. Without the object the lookback is delivered again, which is harmless. */
export async function readDelivered(
  { changes, log }: DeliveredSource,
  { delivered }: { readonly delivered?: DeliveredVersions | undefined },
): Promise<DeliveredById> {
  if (!delivered) return new Map()
  const body = await changes.readObject(delivered.key)
  if (body && hash('sha256', body, 'hex') === delivered.sha256) return decodeVersions(gunzipSync(body))
  log('WARN', 'delivered versions are gone', { key: delivered.key })
  return new Map()
}
