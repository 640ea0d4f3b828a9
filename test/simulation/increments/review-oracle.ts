import { deepStrictEqual, ok } from 'node:assert/strict'
import type { RefusedChanges, SetManifest } from '../../../stored/changes/changes.ts'
import { type Manifest, manifestKey } from '../../../stored/snapshots/manifest.ts'
import { idHash } from './delivered-oracle.ts'
import type { ReaderOracle, ReadObjects, Review } from './reader-oracle.ts'

/** Knows what a person sees of what a guard has refused. */
export class ReviewOracle {
  readonly #readers: ReaderOracle
  readonly #read: ReadObjects
  /** By run: what its refused set would have deleted. */
  readonly #sets = new Map<string, ReadonlySet<string>>()
  /** By run: documents of the published snapshot that the refused one lacks. */
  readonly #snapshots = new Map<string, ReadonlySet<string>>()

  constructor(readers: ReaderOracle, read: ReadObjects) {
    this.#readers = readers
    this.#read = read
  }

  /** A snapshot is refused. */
  snapshotRefused({ runId, pages }: Manifest, published: Manifest | undefined): void {
    const present = this.#idsOf(pages)
    const missing = [...this.#idsOf(published?.pages ?? [])].filter((id) => !present.has(id))
    this.#snapshots.set(runId, new Set(missing))
  }

  /** A set is refused. Throws if the ids that are stored with it are not those that it would delete. */
  setRefused({ runId, base, kind, deleted, reviewedParts }: RefusedChanges): void {
    if (kind === 'reset') return
    // A comparison that was frozen may record its refusal late.
    if (base !== this.#readers.tip) return
    const manifest = this.#read.json<Manifest>(manifestKey('CL', runId))
    const expected = this.#readers.deletedBy(manifest)
    const stored = new Set(this.#read.lines(reviewedParts ?? []))
    const missing = [...expected].filter((id) => stored.has(idHash(id)))
    deepStrictEqual(stored.size, deleted)
    deepStrictEqual(missing.length, stored.size, `${runId} stores ids that its set would not delete`)
    if (manifest.partitions === undefined) deepStrictEqual(stored.size, expected.size)
    this.#sets.set(runId, new Set(missing))
  }

  /** What the person who accepted a set had seen; undefined if nobody did. */
  reviewOf({ runId, by }: SetManifest): Review | undefined {
    if (by === undefined) return undefined
    const ofSet = this.#sets.get(runId)
    if (ofSet) return { of: 'set', missing: ofSet }
    const ofSnapshot = this.#snapshots.get(runId)
    ok(ofSnapshot, `${by} accepted the set of ${runId}, which nobody has refused`)
    return { of: 'snapshot', missing: ofSnapshot }
  }

  #idsOf(pages: Manifest['pages']): ReadonlySet<string> {
    return new Set(this.#read.lines(pages).map((line) => String((JSON.parse(line) as { id: number }).id)))
  }
}
