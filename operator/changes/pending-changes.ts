import { DocumentFile } from '../../stored/documents/document-file.ts'
import { openTemporaryFile } from '../../stored/documents/temporary-file.ts'
import { writeError } from '../errors.ts'

/**
 * What the first change of a document says about a file that lacks it: a set created it, an increment delivered it, or
 * readers had it as a withheld document.
 */
export type Origin = 'created' | 'delivered' | 'withheld'

export type PendingChange = { readonly origin: Origin } & (
  | { readonly kind: 'upsert'; readonly document: Buffer }
  | { readonly kind: 'delete' }
)

interface Entry {
  readonly origin: Origin
  readonly last: number | 'deleted'
}

/** The last change of each document, by identity. Only the numbers of the documents are in memory. */
export class PendingChanges implements Disposable {
  readonly #documents: DocumentFile
  readonly #changes = new Map<string, Entry>()

  /** Throws `CommandError` if the system refuses to write; so do the methods. */
  constructor(folder: string) {
    const explain = (error: unknown) => writeError(`a temporary file in ${folder}`, error)
    try {
      this.#documents = new DocumentFile(openTemporaryFile(folder), explain)
    } catch (error) {
      throw explain(error)
    }
  }

  upsert(identity: string, document: Buffer, origin: Origin): void {
    this.#put(identity, { origin, last: this.#documents.put(document) })
  }

  delete(identity: string): void {
    this.#put(identity, { origin: 'withheld', last: 'deleted' })
  }

  #put(identity: string, { origin, last }: Entry): void {
    this.#changes.set(identity, { origin: this.#changes.get(identity)?.origin ?? origin, last })
  }

  /** Removes and returns the change of a document. */
  take(identity: string): PendingChange | undefined {
    const change = this.#changes.get(identity)
    if (change === undefined) return undefined
    this.#changes.delete(identity)
    const { origin, last } = change
    if (last === 'deleted') return { origin, kind: 'delete' }
    return { origin, kind: 'upsert', document: this.#documents.read(last) }
  }

  /** Removes and returns all other changes, in the order of the first change of each document. */
  *takeRest(): Generator<readonly [identity: string, change: PendingChange]> {
    for (const identity of this.#changes.keys()) {
      const change = this.take(identity)
      if (change) yield [identity, change]
    }
  }

  [Symbol.dispose](): void {
    this.#documents[Symbol.dispose]()
  }
}
