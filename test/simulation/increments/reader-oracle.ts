import { deepStrictEqual, ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { FullSetManifest, IncrementManifest, SetManifest } from '../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import { setsSince } from '../../../stored/changes/sets-since.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { DeliveredOracle } from './delivered-oracle.ts'
import { contentOf, type DocumentHistory, datesIn } from './document-history.ts'

/** How late a change of a document may become visible at least: what is newer than this is protected from full sets. */
const minHorizonMs = 60 * 60_000
/** A document that changes while its window is read has a later date. */
const maxLaterMs = 6 * 60_000
/** Further readers would show no more. */
const maxReaders = 12

/** Reads objects of the bucket. Both throw if there is none. */
export interface ReadObjects {
  readonly json: <T>(key: string) => T
  readonly bytes: (key: string) => Buffer
  readonly lines: (parts: readonly { readonly key: string }[]) => string[]
}

/** What the contract allows at the moment. */
export interface Allowed {
  /** Whether the set of a run may be gone from the list. */
  readonly mayBeGone: (runId: string) => boolean
  /** How far outside of a window the documents of an increment may lie. */
  readonly outsideMs: () => number
  /** The lookback of the deployment that acts; 0 without increments. */
  readonly lookbackMs: () => number
  /** Whether windows return nothing that is far outside of them. */
  readonly isHonest: () => boolean
}

/** What a person had seen who accepted a set. */
export interface Review {
  /** The snapshot that a guard had refused, or the set. */
  readonly of: 'snapshot' | 'set'
  /** The documents that were shown as missing. */
  readonly missing: ReadonlySet<string>
}

/** A document before a full set, in its snapshot, and after it. */
interface Fate {
  readonly id: string
  readonly old: string | undefined
  readonly shown: string | undefined
  readonly expected: string | undefined
  /** Whether it is absent, and the oracle does not know whether that deletes it. */
  readonly isUncertain: boolean
  /** Whether an increment has delivered it so late that the snapshot may be older. */
  readonly isProtected: boolean
  readonly deliveredAt: number | undefined
}

type SnapshotManifest = Pick<Manifest, 'openedAt' | 'pages' | 'partitions' | 'republishedFrom' | 'proof'>

type Documents = ReadonlyMap<string, string>

/**
 * Knows each document's true history, and checks that a reader's state is one that the contract allows. Throws if it is
 * not.
 */
export class ReaderOracle {
  readonly #history: DocumentHistory
  readonly #allowed: Allowed
  readonly #read: ReadObjects
  /** When the window ended that delivered a document last, whatever its dates say. */
  readonly #delivered = new Map<string, number>()
  /** The date of that version, unless a full set has replaced it since. No increment delivers an older version. */
  readonly #newest = new Map<string, number>()
  /** The date of a version by which a full set has replaced a delivered one: increments may leave out what is older. */
  readonly #replacedBy = new Map<string, number>()
  /** Documents whose absence from the last compared snapshot counts (by ranges: may count), and does not delete them alone. */
  readonly #absentOnce = new Map<string, 'counts' | 'may-count'>()
  readonly #readers = new Map<string, Documents>()
  /** The run of the set after each. */
  readonly #next = new Map<string, string>()
  readonly #remembered = new DeliveredOracle()
  /** What readers have who are at the set of a run. */
  readonly states = new Map<string, Documents>()
  #state: Documents = new Map()
  #tip = ''

  constructor(history: DocumentHistory, read: ReadObjects, allowed: Allowed) {
    this.#allowed = allowed
    this.#history = history
    // Readers may lack the newest value of the ignored field.
    this.#read = { ...read, lines: (parts) => read.lines(parts).map(contentOf) }
  }

  /** The documents of a reader that begins at the tip. */
  get state(): Documents {
    return this.#state
  }

  get tip(): string {
    return this.#tip
  }

  /** Checks the set that has become the tip, if one has. `review`: if a person has accepted the set. */
  chainMoves(chain: ChangesLatest, review?: Review): void {
    if (chain.tip === this.#tip) return
    const set = this.#read.json<SetManifest>(setManifestKey('CL', chain.tip))
    const before = this.#state
    this.#state = this.#stateAt(set)
    this.#tip = chain.tip
    this.states.set(this.#tip, this.#state)
    if (set.kind === 'increment') this.#checkIncrement(set, before)
    else {
      deepStrictEqual(this.#state.size, set.stateDocuments)
      deepStrictEqual(idSumOf(this.#state.keys()), set.stateIdSum)
      if (set.kind === 'reset') {
        this.#delivered.clear()
        this.#newest.clear()
        this.#replacedBy.clear()
        this.#absentOnce.clear()
        this.#remembered.clear()
      }
      this.#checkFull(set, before, review)
    }
    this.#follow(chain, set)
  }

  /** Everything whose date is in the window has arrived, if the platform showed it from this time on. */
  checkWindow({ window }: ChangesLatest, shownAt: number): void {
    const [from, to] = [Date.parse(window?.from ?? ''), Date.parse(window?.to ?? '')]
    for (const id of this.#history.ids()) {
      const current = this.#history.current(id)
      if (!current?.text || current.date < from || current.date > to || current.since > shownAt) continue
      // A version that is older than the delivered one is left out, even if it has replaced that one.
      const newest = Math.max(this.#newest.get(id) ?? 0, this.#replacedBy.get(id) ?? 0)
      if (newest > current.date) continue
      deepStrictEqual(this.#state.get(id), contentOf(current.text))
    }
  }

  /** Checks that readers have the documents that the platform has now, and no others. */
  checkTruth(now: number): void {
    const truth = new Map(this.#history.at(now).map((text) => [idOf(text), contentOf(text)]))
    deepStrictEqual(sorted(this.#state), sorted(truth))
  }

  #stateAt(set: SetManifest): Documents {
    const { json, lines } = this.#read
    const { pages } = json<{ pages: { key: string }[] }>(set.snapshot)
    const documents = [...lines(pages), ...lines(set.withheldParts)]
    const state = new Map(documents.map((line) => [idOf(line), line]))
    if (set.kind === 'increment') for (const record of lines(set.incrementParts)) apply(state, record)
    return state
  }

  /** An increment deletes nothing, delivers versions that existed and whose dates are in its window, and never goes back. */
  #checkIncrement(set: IncrementManifest, before: Documents): void {
    const { from, to, parts, records } = set
    for (const [id, text] of before) {
      const after = this.#state.get(id)
      ok(after !== undefined, `document ${id} is gone`)
      // A version with a date in the future does not keep back what follows it for good.
      const isForgotten = this.#remembered.mayForget(this.#delivered.get(id) ?? 0)
      const known = isForgotten ? undefined : this.#newest.get(id)
      const oldest = known ?? Math.min(0, this.#history.dateOf(id, text))
      ok(this.#history.dateOf(id, after) >= oldest, `document ${id} goes back`)
    }
    const { republishedFrom } = this.#read.json<SnapshotManifest>(set.snapshot)
    ok(republishedFrom === undefined, 'an increment follows a snapshot that was published again')
    const delivered = this.#read.lines(parts)
    deepStrictEqual(delivered.length, records)
    this.#remembered.check({
      set,
      documents: new Map(delivered.map(documentIn).map((document) => [idOf(document), document])),
      remembered: this.#read.bytes(set.delivered.key),
      rememberedMs: Math.max(minHorizonMs, this.#allowed.lookbackMs()),
      isHonest: this.#allowed.isHonest(),
    })
    for (const record of delivered) {
      ok(record.startsWith('{"op":"r","id":'), record)
      const document = documentIn(record)
      const id = idOf(document)
      const nearMs = this.#allowed.outsideMs()
      const isIn = datesIn(document).some(
        (date) => date >= Date.parse(from) - nearMs && date <= Date.parse(to) + maxLaterMs + nearMs,
      )
      ok(isIn, `document ${id} is not in the window from ${from} to ${to}: ${document}`)
      deepStrictEqual(this.#state.get(id), document)
      this.#delivered.set(id, Date.parse(to))
      this.#newest.set(id, this.#history.dateOf(id, document))
      this.#replacedBy.delete(id)
      this.#absentOnce.delete(id)
    }
  }

  /** The documents that the set of this snapshot deletes. By ranges, some of them may be withheld. */
  deletedBy(snapshot: SnapshotManifest): ReadonlySet<string> {
    const fates = this.#fates(snapshot, this.#state)
    return new Set(fates.flatMap(({ id, old, expected }) => (old && expected === undefined ? id : [])))
  }

  /** After a full set readers have the snapshot, or what an increment delivered that it may be too old for. */
  #checkFull(set: FullSetManifest, before: Documents, review: Review | undefined): void {
    const manifest = this.#read.json<SnapshotManifest>(set.snapshot)
    const isByRanges = manifest.partitions !== undefined
    const date = (id: string, text: string) => this.#history.dateOf(id, text)
    for (const { id, old, shown, expected, ...fate } of this.#fates(manifest, before, set.kind === 'reset')) {
      const own = this.#state.get(id)
      const isUnseen = review !== undefined && !review.missing.has(id)
      const isDeleted = old !== undefined && own === undefined
      if (review?.of === 'snapshot') ok(!(isDeleted && isUnseen), `nobody has seen that ${id} is missing`)
      const isWithheld = review?.of === 'set' && isUnseen && expected === undefined
      if (fate.isUncertain && !isWithheld) ok(own === old || own === undefined, `document ${id}`)
      else deepStrictEqual(own, isWithheld ? old : expected)
      const isCounted = shown === undefined && own !== undefined && !fate.isProtected
      if (!isCounted || (isWithheld && fate.deliveredAt !== undefined)) this.#absentOnce.delete(id)
      else if (!isByRanges) this.#absentOnce.set(id, 'counts')
      else if (!this.#absentOnce.has(id)) this.#absentOnce.set(id, 'may-count')
      if (own === old) continue
      this.#remembered.replace(id, own, set.ignore)
      this.#newest.delete(id)
      if (own === undefined) this.#delivered.delete(id)
      else if (fate.deliveredAt !== undefined) this.#replacedBy.set(id, date(id, own))
    }
  }

  /** What becomes of each document with a full set. */
  #fates(manifest: SnapshotManifest, before: Documents, isReset = false): Fate[] {
    // A person has decided that readers go back to it.
    const isRepublished = manifest.republishedFrom !== undefined
    const protectedAfter = isRepublished
      ? Number.POSITIVE_INFINITY
      : Date.parse(manifest.openedAt) - Math.max(minHorizonMs, this.#allowed.lookbackMs())
    const inSnapshot = new Map(this.#read.lines(manifest.pages).map((line) => [idOf(line), line]))
    return [...new Set([...before.keys(), ...inSnapshot.keys()])].map((id) => {
      const [old, shown] = [before.get(id), inSnapshot.get(id)]
      const deliveredAt = isReset ? undefined : this.#delivered.get(id)
      const date = (text: string) => this.#history.dateOf(id, text)
      const isProtected = deliveredAt !== undefined && deliveredAt > protectedAfter
      const isOlder = old !== undefined && shown !== undefined && date(shown) < date(old)
      const absence = this.#absentOnce.get(id)
      const isProven = manifest.proof === 'exact' || absence !== undefined || isReset
      const isKept = shown === undefined ? isProtected || !isProven : isProtected && isOlder
      // Whether an absence counts depends on how the ranges were opened, and on their coverage.
      const isRepeat = manifest.proof !== 'exact' && absence === 'may-count'
      const dependsOnRanges = manifest.partitions !== undefined || isRepeat
      const isUncertain = shown === undefined && !isProtected && !isReset && dependsOnRanges
      return { id, old, shown, expected: isKept ? old : shown, isUncertain, isProtected, deliveredAt }
    })
  }

  /** Readers from earlier sets follow the records, each applied twice. */
  #follow(chain: ChangesLatest, { kind, base }: SetManifest): void {
    if (kind === 'reset') this.#readers.clear()
    if (base !== null) this.#next.set(base, chain.tip)
    for (const [since, start] of this.#readers) {
      const sets = setsSince(chain, since)
      if (!sets && this.#allowed.mayBeGone(this.#next.get(since) ?? '')) {
        this.#readers.delete(since)
        continue
      }
      ok(sets, `the reader of ${since} cannot continue`)
      const own = new Map(start)
      for (const { runId } of sets) {
        const { parts } = this.#read.json<SetManifest>(setManifestKey('CL', runId))
        const records = this.#read.lines(parts)
        for (const record of [...records, ...records]) apply(own, record)
      }
      deepStrictEqual(sorted(own), sorted(this.#state), `the reader of ${since}`)
    }
    // Those that began first stay, for as long as their sets do, and the newest ones.
    const [middle] = [...this.#readers.keys()].slice(maxReaders / 2)
    if (this.#readers.size === maxReaders && middle !== undefined) this.#readers.delete(middle)
    this.#readers.set(chain.tip, new Map(this.#state))
  }
}

function apply(state: Map<string, string>, record: string): void {
  const { op, id } = JSON.parse(record) as { op: string; id: number }
  if (op === 'd') state.delete(String(id))
  else state.set(String(id), documentIn(record))
}

const documentIn = (record: string) => record.slice(record.lastIndexOf('"after":') + '"after":'.length, -1)

const idOf = (document: string) => String((JSON.parse(document) as { id?: unknown }).id)

const sorted = (documents: Documents) =>
  [...documents].toSorted(([one], [other]) => Number(one) - Number(other))

function idSumOf(keys: Iterable<string>): string {
  const hashes = [...keys].map((key) =>
    BigInt(`0x${createHash('sha256').update(key).digest('hex').slice(0, 32)}`),
  )
  return (hashes.reduce((sum, one) => sum + one, 0n) % (1n << 128n)).toString(16).padStart(32, '0')
}
