import { createHash } from 'node:crypto'
import type { Evidence } from '../../functions/publisher/check/evidence.ts'
import { isIntact } from '../../stored/intact.ts'
import { type Manifest, manifestKey } from '../../stored/snapshots/manifest.ts'
import { UnknownVersion } from '../../stored/unknown-version.ts'
import type { ReadObject } from '../aws/objects.aws.ts'

/** What a snapshot's proof was decided from. */
export type StoredEvidence =
  | { readonly kind: 'intact'; readonly evidence: Evidence }
  /** An older release published the snapshot. */
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged'; readonly key: string; readonly problem: string }

/** Reads the evidence that a manifest names, and compares the hashes of both. */
export async function readEvidence(
  { entity, runId, evidence: named, pages }: Manifest,
  read: ReadObject,
): Promise<StoredEvidence> {
  if (!named) return { kind: 'none' }
  const { key } = named
  const body = await read(key)
  if (!body) return { kind: 'damaged', key, problem: 'not found in the bucket' }
  if (!isIntact(named, body))
    return {
      kind: 'damaged',
      key,
      problem: `its SHA-256 is ${sha256(body)}; the manifest has ${named.sha256}`,
    }
  const evidence = JSON.parse(body.toString()) as Evidence
  if (evidence.version !== 1)
    throw new UnknownVersion(`the evidence ${key}`, {
      found: evidence.version,
      known: 1,
      fixOfOlder: 'restore the object from an earlier version in the bucket',
    })
  if (evidence.entity !== entity || evidence.runId !== runId)
    return { kind: 'damaged', key, problem: `it belongs to run ${evidence.runId} of ${evidence.entity}` }
  const ofPages = sha256(JSON.stringify(pages))
  if (ofPages === evidence.pagesSha256) return { kind: 'intact', evidence }
  const problem = `the SHA-256 of its pages is ${ofPages}; the evidence has ${evidence.pagesSha256}`
  return { kind: 'damaged', key: manifestKey(entity, runId), problem }
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The result in a sentence. */
export function storedProofText(stored: StoredEvidence, { entity, runId }: Manifest): string {
  switch (stored.kind) {
    case 'intact':
      return 'The evidence has the SHA-256 of the manifest, and the pages of the manifest have that of the evidence.'
    case 'none':
      return `Run ${runId} of ${entity} has no evidence: an older release published it.`
    case 'damaged':
      return `The evidence of run ${runId} of ${entity} is damaged: ${stored.key}: ${stored.problem}.`
  }
}
