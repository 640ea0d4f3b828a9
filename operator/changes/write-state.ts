import { createHash } from 'node:crypto'
import { formatCount, formatDocuments } from '../../functions/runtime/format.ts'
import { ContentSum } from '../../stored/chain/content-sum.ts'
import { idHashOf } from '../../stored/chain/delivered-versions.ts'
import { IdSum, idHashWords, idSumText, writeDigestWords } from '../../stored/documents/id-hash.ts'
import { PageLines } from '../../stored/documents/stored-lines.ts'
import type { AtomicFile } from '../snapshot/atomic-file.ts'
import type { Origin, PendingChanges } from './pending-changes.ts'

/** What a set says about the state that it leads to. Null after an increment: the next full set checks it. */
export interface ExpectedState {
  readonly stateDocuments: number | null
  readonly stateIdSum: string | null
  /** Absent from sets of 1.0.0 and until it is known. */
  readonly stateContentSum?: string | undefined
  readonly ignore: readonly string[]
}

export interface Update {
  readonly file: string
  readonly idField: Buffer
  /** Numbers of the lines that a later line replaces. */
  readonly superseded: { has(line: number): boolean } | undefined
  readonly pending: PendingChanges
  readonly expected: ExpectedState
  readonly onProgress: (done: number) => void
}

export interface UpdatedContent {
  readonly documents: number
  /** Changed documents that the file lacked. */
  readonly added: Readonly<Record<Origin, number>>
  readonly sha256: string
}

/** Writes these lines with the pending changes: updates in place, new documents at the end. Throws `CannotUpdate`. */
export async function writeState(
  update: Update,
  before: AsyncIterable<Buffer>,
  out: Pick<AtomicFile, 'write'>,
): Promise<UpdatedContent> {
  const { file, pending, expected } = update
  const contents = expected.stateContentSum === undefined ? undefined : new ContentSum(expected.ignore)
  const writer = new StateWriter(out, contents)
  await copyLines(update, before, writer)
  const added = { created: 0, delivered: 0, withheld: 0 }
  for (const [identity, change] of pending.takeRest()) {
    added[change.origin]++
    if (change.kind === 'delete') continue
    writer.add(identity, change.document)
    if (writer.isFull) await writer.flush()
  }
  await writer.flush()
  const { documents, idSum } = writer
  const different = differenceOf(expected, { documents, idSum, contents })
  if (different !== undefined) throw new CannotUpdate(`The updated ${file} would have ${different}.`)
  return { documents, added, sha256: writer.sha256() }
}

/** How a state differs from the one that a set leads to; undefined if it does not. */
function differenceOf(
  { stateDocuments, stateIdSum, stateContentSum }: ExpectedState,
  { documents, idSum, contents }: Written,
): string | undefined {
  if (documents !== (stateDocuments ?? documents))
    return `${formatDocuments(documents)}; the change set has ${formatCount(stateDocuments ?? 0)}`
  const ids = idSumText(idSum.value())
  if (ids !== (stateIdSum ?? ids)) return 'other documents than the change set'
  if (contents && idSumText(contents.value()) !== stateContentSum)
    return 'other versions of documents than the change set'
  return undefined
}

interface Written {
  readonly documents: number
  readonly idSum: IdSum
  /** Undefined if nothing is known to compare them with. */
  readonly contents: ContentSum | undefined
}

/** Copies the lines that stay, with their changes. */
async function copyLines(
  { idField, superseded, pending, onProgress }: Update,
  before: AsyncIterable<Buffer>,
  writer: StateWriter,
): Promise<void> {
  let line = 0
  for await (const text of before) {
    for (const lines = new PageLines(text, idField); lines.next(); line++) {
      if (superseded?.has(line)) continue
      const identity = idHashOf(lines.identity())
      const change = pending.take(identity)
      if (change?.kind === 'delete') continue
      writer.add(identity, change ? change.document : text.subarray(lines.start, lines.end))
    }
    await writer.flush()
    onProgress(line)
  }
}

const lineFeed = Buffer.from('\n')
const maxBufferedBytes = 4 * 1024 * 1024

/** Writes documents, and counts and sums what it writes. */
class StateWriter {
  documents = 0
  readonly idSum = new IdSum()
  readonly #out: Pick<AtomicFile, 'write'>
  readonly #hash = createHash('sha256')
  readonly #words = new Uint32Array(idHashWords)
  readonly #contents: ContentSum | undefined
  #pieces: Uint8Array[] = []
  #bufferedBytes = 0

  constructor(out: Pick<AtomicFile, 'write'>, contents: ContentSum | undefined) {
    this.#out = out
    this.#contents = contents
  }

  add(identity: string, document: Buffer): void {
    writeDigestWords(identity, { target: this.#words, offset: 0, words: idHashWords })
    this.idSum.add(this.#words, 0)
    this.#contents?.add(this.#contents.canonical(document))
    this.#pieces.push(document, lineFeed)
    this.#bufferedBytes += document.length + lineFeed.length
    this.documents++
  }

  get isFull(): boolean {
    return this.#bufferedBytes >= maxBufferedBytes
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#bufferedBytes = 0
    this.#hash.update(bytes)
    await this.#out.write(bytes)
  }

  sha256(): string {
    return this.#hash.digest('hex')
  }
}

/** A pulled file cannot be brought to the state at the tip, or would not be what the change set promises. */
export class CannotUpdate extends Error {
  override readonly name = 'CannotUpdate'
}
