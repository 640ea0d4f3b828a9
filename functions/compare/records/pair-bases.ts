import { DocumentFile } from '../../documents/document-file.ts'
import { openTemporaryFile } from '../../documents/temporary-file.ts'
import { explainFailedWrite } from '../failure.ts'

/** The base of each pair of documents, on disk until its target is read. */
export class PairBases implements Disposable {
  readonly #file = new DocumentFile(openTemporaryFile(), explainFailedWrite)
  readonly #numbers: Uint32Array

  constructor(pairs: number) {
    this.#numbers = new Uint32Array(pairs)
  }

  set(pair: number, document: Buffer): void {
    this.#numbers[pair] = this.#file.put(document)
  }

  get(pair: number): Buffer {
    return this.#file.read(this.#numbers[pair] ?? 0)
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}
