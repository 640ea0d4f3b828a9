import { formatCount } from '../../functions/runtime/format.ts'
import { makeDocument } from '../stand-in/documents.ts'

export interface ExampleChanges {
  readonly documents: Buffer[]
  /** What was changed, for people. */
  readonly summary: string
}

/** The documents after a day at the example shop: some created, updated, deleted, and some only written differently. */
export function withChanges(before: readonly Buffer[], now: Date): ExampleChanges {
  const [deleted, reordered, ...rest] = before
  const documents = [reordered && withLastFieldFirst(reordered), ...rest]
    .filter((bytes) => bytes !== undefined)
    .map((bytes, index) => (index > 0 && index <= 2 ? updated(bytes, now) : bytes))
  const next = 1 + before.reduce((last, bytes) => Math.max(last, indexOf(bytes)), -1)
  const created = [next, next + 1].map((index) => createdNow(makeDocument(index, { seed: 77 }), now))
  const counts = { created: created.length, updated: 2, 'only reordered': 1, deleted: deleted ? 1 : 0 }
  const summary = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
  return { documents: [...documents, ...created], summary: summary.join(', ') }
}

/** The documents without those of customers who have not subscribed to the newsletter. */
export function withoutMany(before: readonly Buffer[]): ExampleChanges {
  const documents = before.filter((bytes) => bytes.includes('"isNewsletterOptIn":true'))
  return {
    documents,
    summary: `${formatCount(before.length - documents.length)} of ${formatCount(before.length)} deleted`,
  }
}

/** The index with which a document was made, which its id ends with. */
const indexOf = (bytes: Buffer) => Number(/"id":"[^"]*-(\d+)"/.exec(bytes.toString())?.[1] ?? -1)

const createdNow = (bytes: Buffer, now: Date) =>
  Buffer.from(bytes.toString().replace(/"createdIn":"[^"]*"/, `"createdIn":"${now.toISOString()}"`))

function updated(bytes: Buffer, now: Date): Buffer {
  const text = bytes.toString().replace('"updatedIn":null', `"updatedIn":"${now.toISOString()}"`)
  return Buffer.from(text.replace('"isNewsletterOptIn":false', '"isNewsletterOptIn":true'))
}

/** The same document with its last field first. Numbers keep their digits. */
function withLastFieldFirst(bytes: Buffer): Buffer {
  const text = bytes.toString()
  const note = text.lastIndexOf(',"note":')
  const [first, last] = [text.slice(1, note), text.slice(note + 1, -1)]
  return Buffer.from(`{${last},${first}}`)
}
