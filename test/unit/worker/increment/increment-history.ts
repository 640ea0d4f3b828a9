import fc from 'fast-check'
import { newRunId } from '../../../../functions/state/run/run.ts'
import { runOfManifestKey } from '../../../../functions/state/snapshots/manifest.ts'
import { DocumentHistory } from '../../../simulation/increments/document-history.ts'
import { ReaderOracle } from '../../../simulation/increments/reader-oracle.ts'
import { stepRequest } from '../worker-testbed.ts'
import { IncrementTestbed } from './increment-testbed.ts'

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

const step = fc.oneof(
  { weight: 5, arbitrary: change },
  { weight: 5, arbitrary: increment },
  { weight: 2, arbitrary: sync },
  { weight: 1, arbitrary: republish },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

export const histories = fc.array(step, { minLength: 4, maxLength: 40, size: 'max' })

/** Plays a history, and checks after each set that a reader's state is one that the contract allows. */
export async function playHistory(steps: readonly Step[]): Promise<void> {
  const history = new PlayedHistory()
  await history.begin()
  for (const step of steps) await history.play(step)
}

class PlayedHistory {
  readonly #testbed = new IncrementTestbed()
  readonly #history = new DocumentHistory()
  readonly #oracle = new ReaderOracle(this.#history, {
    json: (key) => this.#testbed.json(key),
    lines: (parts) => this.#testbed.lines(parts),
  })

  async begin(): Promise<void> {
    for (let id = 0; id < 4; id++) this.#history.write(String(id), this.#testbed.now - 10 * 24 * 60 * minute)
    this.#show(0)
    await this.#testbed.sync()
    this.#oracle.chainMoves(this.#testbed.chain())
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
        this.#oracle.chainMoves(testbed.chain())
        if (response?.status === 'published' && step.lag === 0)
          this.#oracle.checkWindow(testbed.chain(), testbed.now)
        return
      }
      case 'republish': {
        const kept = testbed.keysOf('snapshots/CL/').filter((key) => key.endsWith('/manifest.json'))
        const from = runOfManifestKey(kept[step.which % kept.length] ?? '')
        const job = { kind: 'republish', from, acceptShrink: true } as const
        const { status, runId } = await testbed.stepToEnd(stepRequest(newRunId(testbed.now), job))
        if (status !== 'published') return
        await testbed.compare(runId ?? '')
        this.#oracle.chainMoves(testbed.chain())
        const increment = await testbed.increment(minute)
        if (increment.status !== 'skipped') throw new Error(`The increment is ${JSON.stringify(increment)}.`)
        return
      }
      case 'sync': {
        this.#show(step.lag)
        if (step.crash) this.#crashAt(step.at)
        await (step.compared ? testbed.sync() : testbed.stepToEnd()).catch(() => undefined)
        this.#calm()
        this.#oracle.chainMoves(testbed.chain())
        return
      }
    }
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
}
