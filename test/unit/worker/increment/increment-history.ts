import fc from 'fast-check'
import { newRunId } from '../../../../functions/state/run/run.ts'
import { runOfManifestKey } from '../../../../functions/state/snapshots/manifest.ts'
import { DocumentHistory } from '../../../simulation/increments/document-history.ts'
import { ReaderOracle } from '../../../simulation/increments/reader-oracle.ts'
import { stepRequest } from '../worker-testbed.ts'
import { IncrementTestbed } from './increment-testbed.ts'
import { PastStates } from './past-states.ts'
import { PulledReader } from './pulled-reader.ts'

const minute = 60_000

const ids = fc.integer({ min: 0, max: 7 }).map(String)

const change = fc.record({
  kind: fc.constant('change' as const),
  id: ids,
  action: fc.constantFrom<'write' | 'delete' | 'silent'>('write', 'write', 'write', 'delete', 'silent'),
  afterMs: fc.integer({ min: 1, max: 20 * minute }),
})

/** What goes wrong in an increment or a sync. */
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

/** Publishes one of the kept snapshots again. */
const republish = fc.record({
  kind: fc.constant('republish' as const),
  which: fc.nat(10),
  afterMs: fc.constantFrom(minute, 30 * minute),
})

/** A full sync on an index that lagged, between two changes of a document. */
const lateSync = fc.record({
  kind: fc.constant('late sync' as const),
  id: ids,
  other: ids,
  afterMs: fc.constant(0),
})

const step = fc.oneof(
  { weight: 5, arbitrary: change },
  { weight: 5, arbitrary: increment },
  { weight: 2, arbitrary: sync },
  { weight: 1, arbitrary: republish },
  { weight: 1, arbitrary: lateSync },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

export const histories = fc.array(step, { minLength: 4, maxLength: 40, size: 'max' })

/** Plays a history, and checks after each set that a reader's state is one that the contract allows. */
export async function playHistory(steps: readonly Step[], testbed = new IncrementTestbed()): Promise<void> {
  const history = new PlayedHistory(testbed)
  await history.begin()
  for (const step of steps) await history.play(step)
  await history.end()
}

class PlayedHistory {
  readonly #testbed: IncrementTestbed
  readonly #history = new DocumentHistory()
  readonly #oracle = new ReaderOracle(
    this.#history,
    {
      json: (key) => this.#testbed.json(key),
      bytes: (key) => this.#testbed.s3.objects.get(key)?.body ?? Buffer.alloc(0),
      lines: (parts) => this.#testbed.lines(parts),
    },
    { mayBeGone: () => false, outsideMs: () => 0, lookbackMs: () => 60 * minute, isHonest: () => true },
  )

  /** Files that are updated after every set, and after every third one. */
  readonly #pulled = [1, 3].map((every) => ({ every, reader: new PulledReader() }))
  readonly #past: PastStates
  #tips = 0
  #tip = ''

  constructor(testbed: IncrementTestbed) {
    this.#testbed = testbed
    this.#past = new PastStates(testbed)
  }

  async begin(): Promise<void> {
    for (let id = 0; id < 4; id++) this.#history.write(String(id), this.#testbed.now - 10 * 24 * 60 * minute)
    this.#show(0)
    await this.#testbed.sync()
    await this.#chainMoves()
  }

  end(): Promise<void> {
    return this.#past.check()
  }

  async play(step: Step): Promise<void> {
    const testbed = this.#testbed
    testbed.now += step.afterMs
    const { now } = testbed
    switch (step.kind) {
      case 'change': {
        const { id, action } = step
        if (action === 'silent') this.#history.changeSilently(id, now, 'value')
        else if (action === 'delete' && this.#history.current(id)?.text) this.#history.delete(id, now)
        else this.#history.write(id, now)
        return
      }
      case 'increment': {
        this.#strike(step)
        this.#show(step.lag)
        const response = await testbed.increment(0).catch(() => undefined)
        this.#calm()
        await this.#chainMoves()
        if (response?.status === 'published' && step.lag === 0)
          this.#oracle.checkWindow(testbed.chain(), testbed.now)
        return
      }
      case 'late sync': {
        const afterMs = minute
        const write = (id: string): Step => ({ kind: 'change', id, action: 'write', afterMs })
        const deliver: Step = { kind: 'increment', trouble: 'none', at: 1, lag: 0, afterMs }
        const sync: Step = { kind: 'sync', at: 1, crash: false, lag: 40 * minute, compared: true, afterMs }
        const { id, other } = step
        for (const part of [write(id), deliver, sync, write(id), deliver, write(other), deliver])
          await this.play(part)
        return
      }
      case 'republish': {
        const kept = testbed.keysOf('snapshots/CL/').filter((key) => key.endsWith('/manifest.json'))
        const from = runOfManifestKey(kept[step.which % kept.length] ?? '')
        const job = { kind: 'republish', from, acceptShrink: true } as const
        const { status, runId } = await testbed.stepToEnd(stepRequest(newRunId(testbed.now), job))
        if (status !== 'published') return
        await testbed.compare(runId ?? '')
        await this.#chainMoves()
        const increment = await testbed.increment(minute)
        if (increment.status !== 'skipped') throw new Error(`The increment is ${JSON.stringify(increment)}.`)
        return
      }
      case 'sync': {
        this.#show(step.lag)
        if (step.crash) this.#crashAt(step.at)
        await (step.compared ? testbed.sync() : testbed.stepToEnd()).catch(() => undefined)
        this.#calm()
        await this.#chainMoves()
        return
      }
    }
  }

  async #chainMoves(): Promise<void> {
    const chain = this.#testbed.chain()
    this.#oracle.chainMoves(chain)
    if (chain.tip === this.#tip) return
    this.#tip = chain.tip
    this.#tips++
    await this.#past.remember()
    const { changes, s3 } = this.#testbed
    const from = { changes, objects: s3.objects, chain, state: this.#testbed.readerState() }
    for (const { every, reader } of this.#pulled) if (this.#tips % every === 0) await reader.update(from)
    await new PulledReader().update(from)
  }

  /** The platform's index lags behind. */
  #show(lag: number): void {
    this.#testbed.documents = this.#history.at(this.#testbed.now - lag)
  }

  #strike({ trouble, at }: Extract<Step, { kind: 'increment' }>): void {
    if (trouble === 'crash') this.#crashAt(at)
    let requests = 0
    this.#testbed.respond = (_, target) => {
      if (!target.pathname.endsWith('/scroll')) return undefined
      requests++
      if (trouble === 'full sync' && requests === at) void this.#testbed.takeLease()
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
}
