import { DocumentFile } from '../../functions/documents/document-file.ts'
import { openTemporaryFile } from '../../functions/documents/temporary-file.ts'
import { writeError } from '../errors.ts'

export type PendingChange =
  | { readonly kind: 'upsert'; readonly document: Buffer }
  | { readonly kind: 'delete' }

/** The last change of each document, by identity. Only the numbers of the documents are in memory. */
export class PendingChanges implements Disposable {
  readonly #documents: DocumentFile
  readonly #changes = new Map<string, number | 'deleted'>()

  /** Throws `CommandError` if the system refuses to write; so do the methods. */
  constructor(folder: string) {
    const explain = (error: unknown) => writeError(`a temporary file in ${folder}`, error)
    try {
      this.#documents = new DocumentFile(openTemporaryFile(folder), explain)
    } catch (error) {
      throw explain(error)
    }
  }

  upsert(identity: string, document: Buffer): void {
    this.#changes.set(identity, this.#documents.put(document))
  }

  delete(identity: string): void {
    this.#changes.set(identity, 'deleted')
  }

  /** Removes and returns the change of a document. */
  take(identity: string): PendingChange | undefined {
    const change = this.#changes.get(identity)
    if (change === undefined) return undefined
    this.#changes.delete(identity)
    if (change === 'deleted') return { kind: 'delete' }
    return { kind: 'upsert', document: this.#documents.read(change) }
  }

  /** Removes and returns all documents to add, in the order of their first change. */
  *takeUpserts(): Generator<readonly [identity: string, document: Buffer]> {
    for (const identity of this.#changes.keys()) {
      const change = this.take(identity)
      if (change?.kind === 'upsert') yield [identity, change.document]
    }
  }

  [Symbol.dispose](): void {
    this.#documents[Symbol.dispose]()
  }
}
