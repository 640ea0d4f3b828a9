import { gunzipSync } from 'node:zlib'
import { latestKey } from '../../../stored/snapshots/manifest.ts'
import type { Surroundings } from '../surroundings.ts'
import type { DocumentHistory } from './document-history.ts'

const dayMs = 24 * 60 * 60_000
const maxLagMs = 60 * 60_000
/** Every version of a document has a value of its own. */
const valuePattern = /"value":(\d+)/g

/**
 * Knows since when no published snapshot has had the content of a document that the platform no longer has, and checks
 * that it is gone in time.
 */
export class ErasureOracle {
  readonly #sim: Surroundings
  readonly #history: DocumentHistory
  readonly #days: number
  /** By value: when the first snapshot was published without it. In epoch milliseconds. */
  readonly #absentSince = new Map<string, number>()
  readonly #values = new WeakMap<Buffer, ReadonlySet<string>>()

  constructor(sim: Surroundings, history: DocumentHistory, days: number) {
    this.#sim = sim
    this.#history = history
    this.#days = days
  }

  /** `latest.json` has moved. */
  published(): void {
    const present = this.#published()
    for (const value of this.#history.values())
      if (present.has(value)) this.#absentSince.delete(value)
      else if (!this.#absentSince.has(value)) this.#absentSince.set(value, this.#sim.scheduler.now())
  }

  /** Throws if the bucket still has content that must be gone. */
  check(): void {
    const present = this.#published()
    const limit = this.#sim.scheduler.now() - this.#days * dayMs
    for (const { key, body } of this.#sim.s3.versions) {
      if (!key.endsWith('.gz')) continue
      for (const value of this.#valuesOf(body)) {
        const since = this.#goneSince(value)
        if (since === undefined || since >= limit || present.has(value)) continue
        throw new Error(`${key} has the value ${value}, not published since ${new Date(since).toISOString()}`)
      }
    }
  }

  /** A snapshot that was published again lacks what the platform has, and an index may show it for some time. */
  #goneSince(value: string): number | undefined {
    const [absent, ended] = [this.#absentSince.get(value), this.#history.endOf(value)]
    return absent === undefined || ended === undefined ? undefined : Math.max(absent, ended + maxLagMs)
  }

  #published(): ReadonlySet<string> {
    const { objects } = this.#sim.s3
    const read = <T>(key: string) => JSON.parse(objects.get(key)?.body.toString() ?? '{}') as T
    const { manifest = '' } = read<{ manifest?: string }>(latestKey('CL'))
    const { pages = [] } = read<{ pages?: readonly { readonly key: string }[] }>(manifest)
    return new Set(pages.flatMap(({ key }) => [...this.#valuesOf(objects.get(key)?.body)]))
  }

  #valuesOf(body: Buffer | undefined): ReadonlySet<string> {
    if (!body) return new Set()
    const found = this.#values.get(body) ?? valuesIn(gunzipSync(body).toString('latin1'))
    this.#values.set(body, found)
    return found
  }
}

const valuesIn = (text: string) => new Set([...text.matchAll(valuePattern)].map(([, value = '']) => value))
