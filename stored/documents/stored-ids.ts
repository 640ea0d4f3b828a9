import { gunzipSync } from 'node:zlib'
import { fingerprintBytes, writeFingerprint } from './fingerprint.ts'
import { PageLines } from './stored-lines.ts'

/** The ids of a page. */
export interface PageIds {
  /** 8 bytes for each document. */
  readonly fingerprints: Buffer
  readonly documentsWithoutId: number
}

/** The ids of the documents of a stored page. */
export function readIds(object: Buffer, idField: string): PageIds {
  const lines = new PageLines(gunzipSync(object), Buffer.from(idField))
  const fingerprints: Buffer[] = []
  let documentsWithoutId = 0
  while (lines.next()) {
    const fingerprint = Buffer.allocUnsafe(fingerprintBytes)
    writeFingerprint(lines.identity(), fingerprint, 0)
    fingerprints.push(fingerprint)
    if (!lines.hasId) documentsWithoutId++
  }
  return { fingerprints: Buffer.concat(fingerprints), documentsWithoutId }
}
