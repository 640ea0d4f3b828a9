import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { canonicalDocument } from '../../stored/chain/canonical.ts'
import { changesLatestKey, partKey, setManifestKey } from '../../stored/changes/change-keys.ts'
import type { ChangePart } from '../../stored/changes/changes.ts'
import type { EmbeddedStores } from './embedded-stores.ts'

/** Documents by their id: the state of a chain, kept by the test itself. */
export type ChainState = ReadonlyMap<string, string>

export interface FixtureSet {
  readonly runId: string
  readonly base: string
  readonly records: readonly string[]
  /** Absent from an increment. */
  readonly counts?: { readonly created: number; readonly updated: number; readonly deleted: number }
  readonly withheld?: readonly string[]
  /** Versions that increments delivered, of which the snapshot has older ones. */
  readonly held?: readonly string[]
  /** The state after the set. */
  readonly state: ChainState
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The sum modulo 2^128 of the first 128 bits of the ids' SHA-256, as docs and manifests define it. */
const idSumOf = (state: ChainState) => sumOf([...state.keys()].map((id) => JSON.stringify(id)))

function sumOf(texts: Iterable<string>): string {
  const sum = [...texts].reduce((total, text) => total + BigInt(`0x${sha256(text).slice(0, 32)}`), 0n)
  return (sum % (1n << 128n)).toString(16).padStart(32, '0')
}

/** The same sum of the documents in canonical form. */
const contentSumOf = (state: ChainState) =>
  sumOf([...state.values()].map((document) => canonicalDocument(Buffer.from(document), new Set())))

interface Published {
  readonly unlisted?: number
  readonly isErased?: boolean
}

/**
 * Publishes a chain: a reset at the base of the first set, then the sets. The list can lack the oldest ones, as one with
 * many increments does. `isErased`: what the tip needs beyond its snapshot is gone.
 */
export async function publishChain(
  { s3, bucket, unlisted = 0, isErased = false }: Pick<EmbeddedStores, 's3' | 'bucket'> & Published,
  entity: string,
  sets: readonly FixtureSet[],
) {
  const put = (Key: string, Body: string | Buffer) =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body }))

  async function putPart(
    runId: string,
    kind: 'records' | 'withheld',
    lines: readonly string[],
  ): Promise<ChangePart[]> {
    if (lines.length === 0) return []
    const body = gzipSync(lines.map((line) => `${line}\n`).join(''))
    const key = partKey({ entity, runId }, kind, sha256(body))
    await put(key, body)
    return [{ key, records: lines.length, bytes: body.length, sha256: sha256(body) }]
  }

  const first = sets[0]?.base ?? ''
  const summaries: object[] = [
    { runId: first, base: null, kind: 'reset', created: 0, updated: 0, deleted: 0, manifest: '' },
  ]
  let chainSnapshot = first
  let withheldParts: ChangePart[] = []
  let incrementParts: ChangePart[] = []
  for (const { runId, base, records, counts, withheld = [], held = [], state } of sets) {
    const parts = await putPart(runId, 'records', records)
    if (counts) {
      chainSnapshot = runId
      const heldParts = await putPart(runId, 'withheld', held)
      withheldParts = [
        ...(await putPart(runId, 'withheld', withheld)),
        ...heldParts.map((part) => ({ ...part, delivered: true })),
      ]
    }
    incrementParts = counts ? [] : [...incrementParts, ...parts]
    const known = counts
      ? {
          kind: 'changes',
          ...counts,
          stateDocuments: state.size,
          stateIdSum: idSumOf(state),
          stateContentSum: contentSumOf(state),
        }
      : { kind: 'increment', records: records.length, stateDocuments: null, stateIdSum: null, incrementParts }
    const manifest = setManifestKey(entity, runId)
    await put(
      manifest,
      JSON.stringify({
        version: 1,
        entity,
        runId,
        base,
        idField: 'id',
        ignore: [],
        snapshot: `snapshots/${entity}/${chainSnapshot}/manifest.json`,
        ...known,
        parts,
        withheldParts,
      }),
    )
    const summary = counts ? { kind: 'changes', ...counts } : { kind: 'increment', records: records.length }
    summaries.push({ runId, base, ...summary, manifest })
  }
  const tip = sets.at(-1)?.runId ?? ''
  const snapshot = tip === chainSnapshot ? {} : { snapshot: { runId: chainSnapshot } }
  const chain = {
    tip,
    sets: summaries.slice(unlisted),
    announced: false,
    reset: isErased ? "The tip's withheld documents were erased." : null,
    failures: null,
    ...snapshot,
    ...(isErased && { erased: true }),
  }
  for (const { key } of isErased ? [...withheldParts, ...incrementParts] : [])
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
  await put(changesLatestKey(entity), JSON.stringify(chain))
}
