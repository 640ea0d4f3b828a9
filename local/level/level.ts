import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { MemoryLevel } from 'memory-level'
import { type LinesFile, openLinesFile, readLinesFile } from '../lines-file.ts'

interface Operation {
  readonly type: 'put' | 'del'
  readonly key: Buffer
  /** Of `put`. */
  readonly value?: Buffer
}

/** What `abstract-level` calls, which its types leave out. dynalite clears nothing. */
type MemoryStore = new (
  folder: string,
  options: object,
) => { _batch(operations: readonly Operation[], options: object): Promise<void> }

/** Base64 of a key and of its value, which is null for a deletion. */
type Entry = readonly [key: string, value: string | null]

export const levelFileName = 'items.ndjson'

/** The database of dynalite in memory. Each batch is a line of a file, from which the next process continues. */
export class Level extends (MemoryLevel as unknown as MemoryStore) {
  readonly #folder: string
  #file: LinesFile | undefined

  constructor(folder: string, options: object) {
    super(folder, options)
    this.#folder = folder
  }

  async _open(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const file = join(this.#folder, levelFileName)
    const items = new Map<string, string>()
    for (const [key, value] of (readLinesFile(file) as Entry[][]).flat()) {
      if (value === null) items.delete(key)
      else items.set(key, value)
    }
    const entries = [...items]
    await super._batch(
      entries.map(([key, value]) => ({ type: 'put', key: bytesOf(key), value: bytesOf(value) })),
      {},
    )
    this.#file = openLinesFile(
      file,
      entries.map((entry) => [entry]),
    )
  }

  _put(key: Buffer, value: Buffer, options: object): Promise<void> {
    return this._batch([{ type: 'put', key, value }], options)
  }

  _del(key: Buffer, options: object): Promise<void> {
    return this._batch([{ type: 'del', key }], options)
  }

  override async _batch(operations: readonly Operation[], options: object): Promise<void> {
    const entries = operations.map(({ key, value }): Entry => [textOf(key), value ? textOf(value) : null])
    this.#file?.append([entries])
    await super._batch(operations, options)
  }
}

const textOf = (bytes: Buffer) => bytes.toString('base64')

const bytesOf = (text: string) => Buffer.from(text, 'base64')
