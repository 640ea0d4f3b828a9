import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import * as v from 'valibot'
import { writeAtomically } from './atomic-file.ts'

const schema = v.object({
  version: v.literal(1),
  entity: v.string(),
  runId: v.string(),
  /** Lines of the file, and how many different ids they have. */
  documents: v.number(),
  uniqueIds: v.number(),
  sha256: v.string(),
})

/** What `pull` remembers of a file, to be able to update it. */
export type PulledFile = v.InferOutput<typeof schema>

/** The file next to a pulled file. */
const pulledFilePath = (file: string) => `${file}.longshore.json`

/** Undefined if the file was not written by `pull`. */
export function readPulledFile(file: string): Promise<PulledFile | undefined> {
  return readFile(pulledFilePath(file), 'utf8')
    .then((text) => v.parse(schema, JSON.parse(text)))
    .catch(() => undefined)
}

export async function writePulledFile(file: string, pulled: Omit<PulledFile, 'version'>): Promise<void> {
  const text = `${JSON.stringify({ version: 1, ...pulled }, null, 1)}\n`
  await writeAtomically(pulledFilePath(file), (out) => out.write(text))
}

export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
