import type { Cursor, Position } from '../../../stored/pages/page.ts'
import type { PreparedPage } from '../page/store.ts'
import type { ScrollIo } from './io.ts'

type PageIo = Pick<ScrollIo, 'prepare' | 'storePage' | 'takeReceived' | 'giveBack'>

/** The pages that are processed while the next one is requested: one is being prepared and one is being stored. */
export class BackgroundPages {
  readonly #io: PageIo
  #preparing: Promise<PreparedPage> | undefined
  #storing: Promise<Position> | undefined

  constructor(io: PageIo) {
    this.#io = io
  }

  prepare(body: Buffer): void {
    this.#preparing = this.#io.prepare(body)
    // Awaited later. Until then a failure must not count as unhandled.
    this.#preparing.catch(() => {})
  }

  /** The page that is being prepared. Throws `MalformedPage`. */
  async prepared(): Promise<PreparedPage> {
    if (!this.#preparing) throw new Error('No page is being prepared.')
    return this.#preparing
  }

  /** Stores the page that is being prepared after `committed`. */
  store(cursor: Cursor, committed: Position): void {
    const received = this.#io.takeReceived()
    const preparing = this.#preparing
    if (!preparing) throw new Error('No page is being prepared.')
    this.#preparing = undefined
    this.#storing = preparing.then(
      (page) => this.#io.storePage({ page, cursor, after: committed, received }),
      (error: unknown) => {
        this.#io.giveBack(received)
        throw error
      },
    )
    this.#storing.catch(() => {})
  }

  /** Waits until the page is stored; undefined if there is none. Throws `MalformedPage`, `LeaseLost`. */
  async stored(): Promise<Position | undefined> {
    const storing = this.#storing
    this.#storing = undefined
    return storing
  }

  /** Waits until nothing is in progress. */
  async finish(): Promise<void> {
    await this.#storing?.catch(() => {})
    await this.#preparing?.catch(() => {})
  }
}
