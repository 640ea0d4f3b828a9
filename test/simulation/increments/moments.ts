import { deepStrictEqual, ok } from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import type { S3Client } from '@aws-sdk/client-s3'
import type { ReadObject } from '../../../operator/aws/objects.aws.ts'
import { type DocumentAsOf, readAsOf } from '../../../operator/history/as-of.ts'
import { changesLatestKey } from '../../../stored/changes/change-keys.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import type { SetManifest } from '../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import { readSnapshots } from '../../../stored/inventory/stored-entity.ts'
import { timeOfRunId } from '../../../stored/run/run-id.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { PulledReader } from '../../unit/worker/increment/pulled-reader.ts'
import type { Invariant } from '../oracle/invariants.ts'
import { MemoryS3, type StoredObject } from '../stores/memory-s3.ts'
import type { Surroundings } from '../surroundings.ts'
import { contentOf } from './document-history.ts'
import type { ReaderOracle } from './reader-oracle.ts'

/** The bucket at a time when the tip had just moved. */
interface Moment {
  readonly chain: ChangesLatest
  readonly objects: ReadonlyMap<string, StoredObject>
}

/** A set of the chain: the times from which on readers had it at the earliest and at the latest. */
interface Tip {
  readonly runId: string
  readonly earliest: number
  readonly latest: number
}

const questions = 8
/** Runs of the same time follow one another by milliseconds. */
const slackMs = 1_000
const minute = 60_000

/**
 * What operators do at some moments of a seed: bring a pulled file to the tip, and ask for a document as of a time. It
 * is carried out when the seed is over, on the bucket as it was.
 */
export class Moments {
  readonly #readers: ReaderOracle
  readonly #isOn: boolean
  /** There are so many moments that a question is asked at each, and that few files are new. */
  readonly #isLong: boolean
  readonly #sim: Surroundings
  readonly #moments: Moment[] = []
  /** In the order in which readers had them. */
  readonly #tips: Tip[] = []

  constructor(sim: Surroundings, readers: ReaderOracle) {
    this.#sim = sim
    this.#readers = readers
    const { increments } = sim.scenario
    this.#isOn = increments?.operators ?? false
    this.#isLong = increments !== undefined && increments.steps > 0
  }

  /** The tip is about to move. */
  chainMoves(chain: ChangesLatest): void {
    if (!this.#isOn) return
    const body = Buffer.from(JSON.stringify(chain))
    const objects = new Map(this.#sim.s3.objects).set(changesLatestKey('CL'), { body, etag: '"new"' })
    this.#moments.push({ chain, objects })
    this.#tips.push(this.#tipOf(chain))
  }

  /**
   * A snapshot is as of its first page, by the clock of the worker, or of the start of its run, by that of the state
   * machine, once it is gone.
   */
  #tipOf({ tip, sets }: ChangesLatest): Tip {
    const read = <T>(key: string) => JSON.parse(this.#sim.s3.objects.get(key)?.body.toString() ?? '{}') as T
    const { kind, snapshot = '' } = read<Partial<SetManifest>>(sets.at(-1)?.manifest ?? '')
    const { openedAt, republishedFrom } = read<Partial<Manifest>>(snapshot)
    const startedAt = timeOfRunId(tip)
    const isOfRun = kind === 'increment' || openedAt === undefined || republishedFrom !== undefined
    const opened = isOfRun ? startedAt : Date.parse(openedAt)
    return { runId: tip, earliest: Math.min(startedAt, opened), latest: Math.max(startedAt, opened) }
  }

  /** Checks what operators would have received. */
  async check(report: (invariant: Invariant, detail: string) => void): Promise<void> {
    if (this.#moments.length === 0) return
    this.#sim.count('operators')
    const attempt = async (invariant: Invariant, work: () => Promise<void>) => {
      try {
        await work()
      } catch (error) {
        report(invariant, error instanceof Error ? error.message.slice(0, 500) : String(error))
      }
    }
    await attempt('pulled-true', () => this.#pull())
    await attempt('history-true', () => this.#ask())
  }

  /** Files that are updated after every set, and after every third one. */
  async #pull(): Promise<void> {
    const pulled = [1, 3].map((every) => ({ every, reader: new PulledReader() }))
    for (const [at, moment] of this.#moments.entries()) {
      const source = this.#sourceOf(moment)
      for (const { every, reader } of pulled) if (at % every === 0) await reader.update(source)
      if (!this.#isLong || at % 5 === 0) await new PulledReader().update(source)
    }
  }

  /** Every answer is what readers had at the run that it names, which is the last one at that time. */
  async #ask(): Promise<void> {
    const { chance } = this.#sim
    const times = this.#isLong ? this.#moments.length : questions
    for (let asked = 0; asked < times; asked++) {
      const moment = (this.#isLong && this.#moments[asked]) || chance.pick(this.#moments)
      const { chain } = moment
      const { changes, snapshots } = this.#sourceOf(moment)
      const read = async (key: string) => moment.objects.get(key)?.body
      const { listObjects } = snapshots
      const readKept = (entity: string) => readSnapshots(snapshots, entity)
      const context = { changes, readSnapshots: readKept, read, listObjects }
      const id = chance.pick([...(this.#readers.states.get(chain.tip)?.keys() ?? []), '0'])
      const [oldest, newest] = [timeOfRunId(chain.sets[0]?.runId ?? ''), timeOfRunId(chain.tip)]
      const time = chance.integer(oldest, newest + minute)
      const found = await readAsOf(context, { entity: 'CL', id, time })
      this.#sim.count(`history: ${found.state}`)
      const tips = this.#tipsUntil(chain.tip)
      this.#checkRun(chain, tips, { time, found })
      if (found.state === 'unknown') continue
      const { runId } = found
      const document = found.state === 'present' ? contentOf(found.document) : undefined
      // A snapshot that was published may be compared later.
      const state = tips.some((one) => one.runId === runId) ? this.#readers.states.get(runId) : undefined
      const { documents, isExact } = state
        ? { documents: state, isExact: true }
        : await publishedState(snapshots, { runId, read })
      // What such a snapshot lacks would have been withheld.
      if (!isExact && !documents.has(id) && document !== undefined) continue
      deepStrictEqual(document, documents.get(id), `document ${id} as of ${runId}`)
    }
  }

  /** What readers have had when this is the tip. */
  #tipsUntil(tip: string): readonly Tip[] {
    return this.#tips.slice(0, this.#tips.findIndex(({ runId }) => runId === tip) + 1)
  }

  #checkRun(
    { tip, sets, erased }: ChangesLatest,
    known: readonly Tip[],
    { time, found }: { readonly time: number; readonly found: DocumentAsOf },
  ): void {
    // What the oldest set follows may be an increment that is newer than its snapshot.
    const listed = new Set(sets.flatMap(({ runId, base }) => [base, runId]))
    const tips: Tip[] = []
    for (const { runId, earliest, latest } of known.filter((one) => listed.has(one.runId))) {
      // Readers had it after the set before it.
      const before = tips.at(-1)
      tips.push({
        runId,
        earliest: Math.max(before?.earliest ?? 0, earliest),
        latest: Math.max(before?.latest ?? 0, latest),
      })
    }
    const asked = new Date(time).toISOString()
    const last = tips.at(-1)
    if (found.state === 'unknown') {
      ok(
        erased === true || !last || time < last.latest + slackMs,
        `nothing is known at ${asked}, after ${tip}`,
      )
      return
    }
    const at = tips.findIndex(({ runId }) => runId === found.runId)
    // A snapshot without a set.
    if (at < 0) return
    ok((tips[at]?.earliest ?? 0) - slackMs <= time, `readers had ${found.runId} only after ${asked}`)
    const next = tips[at + 1]
    ok(!next || next.latest + slackMs > time, `at ${asked} readers had ${next?.runId}, not ${found.runId}`)
  }

  #sourceOf({ chain, objects }: Moment) {
    const s3 = new MemoryS3()
    for (const [key, object] of objects) s3.objects.set(key, object)
    const client = s3 as unknown as S3Client
    return {
      chain,
      objects,
      changes: createChangeSetStore('snapshots', client),
      snapshots: createSnapshotStore('snapshots', client),
      state: this.#readers.states.get(chain.tip) ?? new Map<string, string>(),
    }
  }
}

type Snapshots = ReturnType<typeof createSnapshotStore>

/** The documents of a snapshot that no set of changes has reached. */
async function publishedState(
  snapshots: Snapshots,
  { runId, read }: { readonly runId: string; readonly read: ReadObject },
): Promise<{ readonly documents: ReadonlyMap<string, string>; readonly isExact: boolean }> {
  const { pages = [], proof } = (await snapshots.readManifest('CL', runId)) ?? {}
  const bodies = await Promise.all(pages.map(({ key }) => read(key)))
  const lines = bodies.flatMap((body) => (body ? gunzipSync(body).toString().split('\n').slice(0, -1) : []))
  const documents = new Map(
    lines.map((line) => [String((JSON.parse(line) as { id: number }).id), contentOf(line)]),
  )
  return { documents, isExact: proof === 'exact' }
}
