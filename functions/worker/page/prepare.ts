import { createHash } from 'node:crypto'
import { type SplitPage, splitPageInPlace } from '../../../stored/documents/split.ts'
import { freeMemory } from '../../runtime/free-memory.ts'
import type { StepContext } from '../context.ts'

/** A page whose object is ready to be stored. */
export interface PreparedPage extends Omit<SplitPage, 'lines'> {
  readonly object: Buffer
  readonly sha256: Buffer
}

/** The interface allows 1,000 (section 8). A platform that sends more than this has ignored `_size`. */
const maxDocuments = 45_000

export class TooManyDocuments extends Error {
  override readonly name = 'TooManyDocuments'

  constructor(documents: number) {
    super(`${documents} documents, and at most ${maxDocuments} can be stored`)
  }
}

/** Splits and compresses a page, and frees the memory of `body`. Throws `MalformedPage` and `TooManyDocuments`. */
export async function preparePage(
  body: Buffer,
  { idField, compress, sleep }: Pick<StepContext, 'compress' | 'sleep'> & { readonly idField: string },
): Promise<PreparedPage> {
  // The request for the next page goes out first, since splitting blocks the event loop.
  await sleep(1)
  const { lines, ...split } = splitPageInPlace(body, idField)
  if (split.documents > maxDocuments) throw new TooManyDocuments(split.documents)
  const object = await compress(lines)
  freeMemory(body)
  const sha256 = createHash('sha256').update(object).digest()
  return { ...split, object, sha256 }
}
