import { gunzipSync } from 'node:zlib'
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'

/** Records as JSON, one per line: `{"op":"c"|"u"|"r"|"d","id":…,"before":…,"after":…}`. */
type Records = AsyncIterable<string>

export interface Receiver {
  /** Replaces everything by these records, of which the last one of each id counts: at first, and after a reset. */
  begin(records: Records): Promise<void>
  /** Applies the records of one set. A set can arrive twice. */
  apply(records: Records): Promise<void>
}

interface ChangesPublished {
  readonly detail: { readonly bucket: string; readonly entity: string }
}

interface Part {
  readonly key: string
}

const s3 = new S3Client()

/** A function for the event `Changes Published`. Its position is an object in the bucket in POSITIONS. */
export const follow =
  (receiver: Receiver) =>
  async ({ detail: { bucket, entity } }: ChangesPublished) => {
    const position = { Bucket: process.env['POSITIONS'], Key: `${entity}.json` }
    const { tip, sets } = await readJson(bucket, `changes/${entity}/latest.json`)
    const stored = await readJson(position.Bucket ?? '', position.Key).catch((error) => {
      if (error instanceof NoSuchKey) return { runId: undefined }
      throw error
    })
    const store = (runId: string) =>
      s3.send(new PutObjectCommand({ ...position, Body: JSON.stringify({ runId }) }))
    if (stored.runId === tip) return
    const next = sets.findIndex(({ base }: { readonly base: string | null }) => base === stored.runId)
    if (next < 0) {
      await receiver.begin(state(bucket, await readJson(bucket, `changes/${entity}/${tip}/manifest.json`)))
      await store(tip)
      return
    }
    for (const { runId, kind, manifest } of sets.slice(next)) {
      if (!['changes', 'increment'].includes(kind))
        throw new Error(`A newer release wrote the kind '${kind}'.`)
      const { parts } = await readJson(bucket, manifest)
      await receiver.apply(lines(bucket, parts))
      await store(runId)
    }
  }

/** What readers have at the tip. */
async function* state(
  bucket: string,
  set: {
    readonly snapshot: string
    readonly withheldParts: readonly Part[]
    readonly incrementParts?: readonly Part[]
  },
): Records {
  const { pages } = await readJson(bucket, set.snapshot)
  for await (const document of lines(bucket, [...pages, ...set.withheldParts]))
    yield `{"op":"r","after":${document}}`
  yield* lines(bucket, set.incrementParts ?? [])
}

async function* lines(bucket: string, parts: readonly Part[]): AsyncGenerator<string> {
  for (const { key } of parts) {
    const text = gunzipSync(await read(bucket, key)).toString()
    yield* text.split('\n').filter((line) => line !== '')
  }
}

async function read(Bucket: string, Key: string): Promise<Uint8Array> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
  return (await Body?.transformToByteArray()) ?? new Uint8Array()
}

const readJson = async (bucket: string, key: string) =>
  JSON.parse(Buffer.from(await read(bucket, key)).toString())
