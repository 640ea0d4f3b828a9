import { deepStrictEqual, ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { setsSince } from '../../../../functions/state/changes/change-chain.ts'
import { setManifestKey } from '../../../../functions/state/changes/changes.ts'
import { documentAt, IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000
const horizonMs = 60 * minute

/** A version of a document as the platform had it, from a time on. Null once it is deleted. */
interface Version {
  readonly since: number
  readonly text: string | null
  readonly date: number
}

const ids = fc.integer({ min: 0, max: 7 })

const change = fc.record({
  kind: fc.constant('change' as const),
  id: ids,
  action: fc.constantFrom<'write' | 'delete' | 'silent'>('write', 'write', 'write', 'delete', 'silent'),
  afterMs: fc.integer({ min: 1, max: 20 * minute }),
})

/** What strikes an increment or a sync. */
const trouble = fc.constantFrom('none', 'none', 'none', 'crash', 'lost page', 'full sync')

const increment = fc.record({
  kind: fc.constant('increment' as const),
  trouble,
  at: fc.integer({ min: 1, max: 8 }),
  lag: fc.constantFrom(0, 0, 0, 10 * minute, 40 * minute),
  afterMs: fc.constantFrom(minute, 5 * minute, 5 * minute, 25 * minute),
})

const sync = fc.record({
  kind: fc.constant('sync' as const),
  at: fc.integer({ min: 1, max: 12 }),
  crash: fc.constantFrom(false, false, true),
  lag: fc.constantFrom(0, 0, 0, 10 * minute, 40 * minute),
  compared: fc.constantFrom(true, true, true, false),
  afterMs: fc.constantFrom(minute, 30 * minute, 5 * 60 * minute),
})

const step = fc.oneof(
  { weight: 5, arbitrary: change },
  { weight: 5, arbitrary: increment },
  { weight: 2, arbitrary: sync },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

export const histories = fc.array(step, { minLength: 4, maxLength: 40, size: 'max' })

/** Plays a history, and checks after each set what the contract says a reader's state may be. */
export async function playHistory(steps: readonly Step[]): Promise<void> {
  const history = new History()
  await history.begin()
  for (const step of steps) await history.play(step)
}

class History {
  readonly #testbed = new IncrementTestbed()
  readonly #versions = new Map<number, Version[]>()
  /** The versions that increments delivered last, and when the document's version is from. */
  readonly #delivered = new Map<string, number>()
  readonly #readers = new Map<string, Map<string, string>>()
  #state = new Map<string, string>()
  #tip = ''
  #serial = 0

  async begin(): Promise<void> {
    for (let id = 0; id < 4; id++) this.#write(id, this.#testbed.now - 10 * 24 * 60 * minute)
    this.#testbed.documents = this.#view(0)
    await this.#testbed.sync()
    this.#check(0)
  }

  async play(step: Step): Promise<void> {
    this.#testbed.now += step.afterMs
    switch (step.kind) {
      case 'change':
        return this.#change(step)
      case 'increment': {
        this.#strike(step)
        this.#testbed.documents = this.#view(step.lag)
        const response = await this.#testbed.increment(0).catch(() => undefined)
        this.#calm()
        this.#check(step.lag, response?.status === 'published')
        return
      }
      case 'sync': {
        this.#testbed.documents = this.#view(step.lag)
        if (step.crash) this.#crashAt(step.at)
        await (step.compared ? this.#testbed.sync() : this.#testbed.stepToEnd()).catch(() => undefined)
        this.#calm()
        this.#check(step.lag)
        return
      }
    }
  }

  #change({ id, action }: Extract<Step, { kind: 'change' }>): void {
    const known = this.#versions.get(id)?.at(-1)
    const { now } = this.#testbed
    if (action === 'write' || !known?.text) this.#write(id, now)
    else if (action === 'delete') this.#add(id, { since: now, text: null, date: now })
    // The platform changes a document and does not move its date.
    else
      this.#add(id, {
        since: now,
        text: known.text.replace(/"value":\d+/, `"value":${++this.#serial}`),
        date: known.date,
      })
  }

  #write(id: number, at: number): void {
    const created = this.#createdAt(id) ?? at
    const dates = created === at ? { created } : { created, updated: at }
    this.#add(id, { since: at, text: documentAt(id, ++this.#serial, dates), date: at })
  }

  #createdAt(id: number): number | undefined {
    const text = this.#versions.get(id)?.at(-1)?.text
    return text ? Date.parse((JSON.parse(text) as { createdIn: string }).createdIn) : undefined
  }

  #add(id: number, version: Version): void {
    this.#versions.set(id, [...(this.#versions.get(id) ?? []), version])
  }

  /** What the platform's index shows that lags behind. */
  #view(lag: number): string[] {
    const time = this.#testbed.now - lag
    return [...this.#versions.values()].flatMap(
      (versions) => versions.findLast(({ since }) => since <= time)?.text ?? [],
    )
  }

  #strike({ trouble, at }: Extract<Step, { kind: 'increment' }>): void {
    if (trouble === 'crash') this.#crashAt(at)
    let requests = 0
    this.#testbed.respond = (_, target) => {
      if (!target.pathname.endsWith('/scroll')) return undefined
      requests++
      if (trouble === 'full sync' && requests === at) this.#testbed.takeLease()
      if (trouble !== 'lost page' || requests !== at) return undefined
      return { status: 500, headers: {}, body: Buffer.from('lost') }
    }
  }

  #crashAt(write: number): void {
    let writes = 0
    this.#testbed.s3.onWrite = () => {
      if (++writes === write) throw new Error('The worker crashed.')
    }
  }

  #calm(): void {
    this.#testbed.s3.onWrite = undefined
    this.#testbed.respond = () => undefined
  }

  /** Checks the chain after a step. `isWhole`: an increment has succeeded. */
  #check(lag: number, isWhole = false): void {
    const testbed = this.#testbed
    const chain = testbed.chain()
    const before = this.#state
    if (chain.tip !== this.#tip) {
      const set = testbed.set()
      this.#state = testbed.readerState()
      if (set.kind === 'increment') this.#checkIncrement(before)
      else {
        deepStrictEqual(this.#state.size, set.stateDocuments)
        deepStrictEqual(idSumOf(this.#state.keys()), set.stateIdSum)
        this.#checkFull(before, this.#openedAt(set.snapshot))
      }
      this.#follow(set.kind === 'reset')
      this.#tip = chain.tip
    }
    if (isWhole && lag === 0) this.#checkWindow()
  }

  #openedAt(key: string): number {
    return Date.parse(this.#testbed.json<{ openedAt: string }>(key).openedAt)
  }

  /** An increment deletes nothing, delivers versions that existed, and never goes back. */
  #checkIncrement(before: ReadonlyMap<string, string>): void {
    for (const [id, text] of before) {
      const after = this.#state.get(id)
      ok(after !== undefined, `document ${id} is gone`)
      const oldest = this.#delivered.get(id) ?? Math.min(0, this.#dateOf(id, text))
      ok(this.#dateOf(id, after) >= oldest, `document ${id} goes back`)
    }
    for (const record of this.#testbed.records()) {
      const id = String((JSON.parse(record) as { id: number }).id)
      this.#delivered.set(id, this.#dateOf(id, this.#state.get(id) ?? ''))
    }
  }

  /** Everything whose date is in the window has arrived. */
  #checkWindow(): void {
    const { window } = this.#testbed.chain()
    const [from, to] = [Date.parse(window?.from ?? ''), Date.parse(window?.to ?? '')]
    for (const [id, versions] of this.#versions) {
      const current = versions.at(-1)
      if (!current?.text || current.date < from || current.date > to) continue
      // A silent change is invisible if its date was delivered before; content that differs is delivered.
      deepStrictEqual(this.#state.get(String(id)), current.text)
    }
  }

  /** After a full set readers have the snapshot, or what an increment delivered that it may be too old for. */
  #checkFull(before: ReadonlyMap<string, string>, openedAt: number): void {
    const inSnapshot = new Map(
      this.#testbed
        .lines(this.#testbed.json<{ pages: { key: string }[] }>(this.#testbed.set().snapshot).pages)
        .map((line) => [String((JSON.parse(line) as { id: number }).id), line]),
    )
    for (const id of new Set([...before.keys(), ...inSnapshot.keys()])) {
      const [own, old, shown] = [this.#state.get(id), before.get(id), inSnapshot.get(id)]
      const deliveredAt = this.#delivered.get(id)
      const isProtected =
        old !== undefined && deliveredAt !== undefined && this.#dateOf(id, old) > openedAt - horizonMs
      const isOlder =
        old !== undefined && shown !== undefined && this.#dateOf(id, shown) < this.#dateOf(id, old)
      const expected = isProtected && (shown === undefined || isOlder) ? old : shown
      // A full set has replaced what an increment delivered long ago: the snapshot counts, and may.
      if (isProtected && deliveredAt <= openedAt - horizonMs) ok(own === old || own === shown)
      else deepStrictEqual(own, expected)
    }
  }

  #dateOf(id: string, text: string): number {
    const version = this.#versions.get(Number(id))?.findLast((one) => one.text === text)
    if (!version) throw new Error(`Document ${id} never was ${text}.`)
    return version.date
  }

  /** Readers from every earlier set follow the records, each applied twice. */
  #follow(isReset: boolean): void {
    const testbed = this.#testbed
    const chain = testbed.chain()
    if (isReset) this.#readers.clear()
    for (const [since, state] of this.#readers) {
      const sets = setsSince(chain, since)
      ok(sets, `the reader of ${since} cannot continue`)
      const own = new Map(state)
      for (const { runId } of sets) {
        const { parts } = testbed.json<{ parts: { key: string }[] }>(setManifestKey('CL', runId))
        const records = testbed.lines(parts)
        for (const record of [...records, ...records]) apply(own, record)
      }
      deepStrictEqual(own, this.#state)
    }
    this.#readers.set(chain.tip, new Map(this.#state))
  }
}

function apply(state: Map<string, string>, record: string): void {
  const { op, id } = JSON.parse(record) as { op: string; id: number }
  if (op === 'd') state.delete(String(id))
  else state.set(String(id), record.slice(record.lastIndexOf('"after":') + '"after":'.length, -1))
}

function idSumOf(keys: Iterable<string>): string {
  const hashes = [...keys].map((key) =>
    BigInt(`0x${createHash('sha256').update(key).digest('hex').slice(0, 32)}`),
  )
  return (hashes.reduce((sum, one) => sum + one, 0n) % (1n << 128n)).toString(16).padStart(32, '0')
}
