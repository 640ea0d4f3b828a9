import { closeSync, readSync, writeSync } from 'node:fs'
import { openTemporaryFile } from '../../functions/documents/temporary-file.ts'
import { writeError } from '../errors.ts'

export type PendingChange =
  | { readonly kind: 'upsert'; readonly document: Buffer }
  | { readonly kind: 'delete' }

type Location = { readonly position: number; readonly length: number } | 'deleted'

/**
 * The last change of each document, by identity. Documents are stored in an unlinked temporary file, so that only their
 * positions are in memory.
 */
export class PendingChanges implements Disposable {
  readonly #folder: string
  readonly #file: number
  readonly #locations = new Map<string, Location>()
  #size = 0

  constructor(folder: string) {
    this.#folder = folder
    this.#file = this.#written(() => openTemporaryFile(folder))
  }

  /** Throws `CommandError` if the system refuses to write. */
  upsert(identity: string, document: Uint8Array): void {
    const location = { position: this.#size, length: document.length }
    // A disk that becomes full takes a part.
    for (let at = 0; at < document.length; ) {
      at += this.#written(() => writeSync(this.#file, document, at, document.length - at, this.#size + at))
    }
    this.#size += document.length
    this.#locations.set(identity, location)
  }

  delete(identity: string): void {
    this.#locations.set(identity, 'deleted')
  }

  /** Removes and returns the change of a document. */
  take(identity: string): PendingChange | undefined {
    const location = this.#locations.get(identity)
    if (location === undefined) return undefined
    this.#locations.delete(identity)
    return this.#read(location)
  }

  /** Removes and returns all documents to add, in the order of their first change. */
  *takeUpserts(): Generator<readonly [identity: string, document: Buffer]> {
    for (const [identity, location] of this.#locations) {
      this.#locations.delete(identity)
      const change = this.#read(location)
      if (change.kind === 'upsert') yield [identity, change.document]
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }

  #written<T>(write: () => T): T {
    try {
      return write()
    } catch (error) {
      throw writeError(`a temporary file in ${this.#folder}`, error)
    }
  }

  #read(location: Location): PendingChange {
    if (location === 'deleted') return { kind: 'delete' }
    const document = Buffer.allocUnsafe(location.length)
    readSync(this.#file, document, 0, location.length, location.position)
    return { kind: 'upsert', document }
  }
}
