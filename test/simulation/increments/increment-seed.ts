import { gunzipSync } from 'node:zlib'
import { dayMs } from '../../../functions/runtime/durations.ts'
import { chainSnapshotRun } from '../../../stored/changes/chain-facts.ts'
import { changesLatestKey, runIdTime, setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { RefusedChanges, SetManifest } from '../../../stored/changes/changes.ts'
import type { ChangesLatest, IncrementWindow } from '../../../stored/changes/changes-latest.ts'
import type { Latest, Manifest } from '../../../stored/snapshots/manifest.ts'
import { latestKey, manifestKey, snapshotsPrefix } from '../../../stored/snapshots/manifest.ts'
import type { Invariant } from '../oracle/invariants.ts'
import type { ChainObserver } from '../oracle/observed.ts'
import { Oracle } from '../oracle/oracle.ts'
import type { MemoryS3, StoredObject } from '../stores/memory-s3.ts'
import type { Surroundings } from '../surroundings.ts'
import { DatedPlatform } from './dated-platform.ts'
import { DeliveredAgain } from './delivered-oracle.ts'
import { ErasureOracle } from './erasure-oracle.ts'
import { Moments } from './moments.ts'
import { ReaderOracle, type ReadObjects, type Review } from './reader-oracle.ts'
import { ReviewOracle } from './review-oracle.ts'

/** The parts of a seed whose documents are checked by what the readers of its change sets have. */
export interface IncrementSeed {
  readonly platform: DatedPlatform
  readonly readers: ReaderOracle
  /** Checks that what must be erased is gone. */
  readonly checkErased: () => void
  /** Checks what operators receive, when the seed is over. */
  readonly checkOperators: () => Promise<void>
  readonly oracle: Oracle
  readonly chain: () => ChangesLatest | undefined
  /** Called when a snapshot is published. */
  onPublication: () => void
  /** Reports what the check throws. */
  readonly check: (invariant: Invariant, check: () => void) => void
}

const second = 1_000
/** For how long content that is no longer published is kept with `eraseWithinDays: 8`. */
const keptDays = 5

export function incrementSeed(sim: Surroundings): IncrementSeed {
  const platform = new DatedPlatform(sim)
  const { increments } = sim.scenario
  const { keepDays = 30 } = increments ?? {}
  const isErasing = increments?.eraseWithinDays !== undefined
  const read = readObjects(sim.s3)
  const daysAgo = (days: number) => runIdTime(sim.scheduler.now() - days * dayMs)
  const mayBeGone = (runId: string) => {
    if (runId < daysAgo(keepDays)) return true
    const set = sim.s3.objects.get(setManifestKey('CL', runId))?.body.toString()
    const { absentSince } = JSON.parse(set ?? '{}') as { absentSince?: string }
    return isErasing && (absentSince ?? '') < daysAgo(keptDays)
  }
  const readers = new ReaderOracle(platform.history, read, {
    mayBeGone,
    // An increment whose platform finds others may have begun before the faults stopped.
    outsideMs: () => (increments?.filter === 'honest' ? 0 : 2 * dayMs),
    isHonest: () => increments?.filter === 'honest' || increments?.filter === 'coarse',
    lookbackMs: () => (oracle.actor?.deployed.entities[0]?.increments?.lookbackMinutes ?? 0) * 60_000,
  })
  const reviews = new ReviewOracle(readers, read)
  const moments = new Moments(sim, readers)
  const erasure = increments?.eraseWithinDays
    ? new ErasureOracle(sim, platform.history, increments.eraseWithinDays)
    : undefined
  if (erasure) sim.s3.now = sim.scheduler.now
  const published = new Set<string>()
  const deleted = new Set<string>()
  let chain: ChangesLatest | undefined
  const nothing = () => undefined
  const check = (invariant: Invariant, work: () => void) => {
    try {
      work()
    } catch (error) {
      const detail = error instanceof Error ? error.message.slice(0, 500) : String(error)
      oracle.violation(error instanceof DeliveredAgain ? 'increments-new' : invariant, detail)
    }
  }
  const reviewOf = ({ tip }: ChangesLatest) => {
    let review: Review | undefined
    check('review-true', () => {
      review = reviews.reviewOf(read.json<SetManifest>(setManifestKey('CL', tip)))
    })
    return review
  }
  const chainMoves = (latest: ChangesLatest) => {
    const before = chain
    chain = latest
    if (latest.tip !== before?.tip) {
      const manifest = sim.s3.objects.get(latest.sets.at(-1)?.manifest ?? '')
      const { kind, by } = JSON.parse(manifest?.body.toString() ?? '{}') as { kind?: string; by?: string }
      sim.count(`set: ${by ? 'accepted' : kind}`)
    }
    published.add(latest.tip)
    if (latest.tip !== before?.tip) moments.chainMoves(latest)
    check('increments-true', () => {
      if (oracle.statusOf(latest.tip) === 'cancelled') throw new Error(`${latest.tip} was cancelled`)
      // The set of a tip whose content was erased is gone.
      if (latest.tip !== before?.tip) readers.chainMoves(latest, reviewOf(latest))
      if (latest.window?.to !== before?.window?.to)
        windowMoves(sim, { platform, readers }, { before, latest })
    })
  }
  const changes: ChainObserver = {
    accepts: nothing,
    snapshotExpired: nothing,
    checkReaders: nothing,
    snapshotDeleted: (runId) => void deleted.add(runId),
    isDeleted: (runId) => deleted.has(runId),
    tip: () => chain && chainSnapshotRun(chain),
    announced({ type, detail: { runId } }) {
      if (type === 'Changes Published' && !published.has(String(runId)))
        oracle.violation('increments-true', `an event announces the set of ${runId}, which is not published`)
    },
    // The write is about to take effect.
    objectWritten(key, { before, after }) {
      if (isListed(chain, key) && isOther(before, after))
        return oracle.violation('sets-whole', `${key} was written again after its publication`)
      if (after && key.endsWith('/refused.json'))
        check('review-true', () => reviews.setRefused(JSON.parse(after.body.toString()) as RefusedChanges))
      if (key !== changesLatestKey('CL')) return
      if (after) chainMoves(JSON.parse(after.body.toString()) as ChangesLatest)
      else oracle.violation('increments-true', `${key} is deleted`)
    },
  }
  const oracle = new Oracle(sim, { changes })
  const seed: IncrementSeed = {
    platform,
    readers,
    checkOperators: () => moments.check((invariant, detail) => oracle.violation(invariant, detail)),
    oracle,
    check,
    chain: () => chain,
    checkErased: () => check('erased-in-time', () => erasure?.check()),
    onPublication: nothing,
  }
  const observe = sim.s3.onWrite
  sim.s3.onWrite = (key, change) => {
    observe?.(key, change)
    if (key === latestKey('CL')) {
      seed.onPublication()
      if (erasure) sim.scheduler.after(0, () => erasure.published())
    }
    const { after } = change
    const isRefusal = key.startsWith(snapshotsPrefix('CL')) && key.endsWith('/refused.json')
    if (!after || !isRefusal) return
    const latest = sim.s3.objects.get(latestKey('CL'))?.body.toString()
    const manifest = latest && (JSON.parse(latest) as Latest).manifest
    const now = manifest === undefined ? undefined : read.json<Manifest>(manifest)
    check('review-true', () => reviews.snapshotRefused(JSON.parse(after.body.toString()) as Manifest, now))
  }
  return seed
}

/** Whether the object is the manifest of a set that the chain lists. */
const isListed = (chain: ChangesLatest | undefined, key: string) =>
  chain?.sets.some(({ manifest }) => manifest === key) ?? false

const isOther = (before: StoredObject | undefined, after: StoredObject | undefined) =>
  before !== undefined && after !== undefined && !before.body.equals(after.body)

function windowMoves(
  sim: Surroundings,
  { platform, readers }: Pick<IncrementSeed, 'platform' | 'readers'>,
  { before, latest }: { readonly before: ChangesLatest | undefined; readonly latest: ChangesLatest },
): void {
  const { scenario } = sim
  sim.count('window moved')
  const to = latest.window?.to ?? ''
  if (to < (before?.window?.to ?? '')) throw new Error(`The end of the window moves back to ${to}.`)
  checkBeginning(sim, before?.window, latest.window)
  const { filter = 'honest', total = 'right', clockMs = 'none' } = scenario.increments ?? {}
  const isUsable = clockMs !== 'none' && Math.abs(clockMs) <= 5 * 60_000
  const needsTotal = scenario.entities.some(({ totals }) => totals === 'check')
  if (!isUsable || (total === 'missing' && needsTotal) || filter.startsWith('refused'))
    throw new Error(`The window ends at ${to}, although nothing can be proven.`)
  // The end is rounded up. What was visible at that time, and is still the last version, was in the window's scroll.
  const shownAt = Date.parse(to) - clockMs - second
  const { currentSince } = platform
  const showsAll = currentSince !== undefined && currentSince <= shownAt && !scenario.platform.live
  if (showsAll) readers.checkWindow(latest, shownAt)
}

/** A window begins where the last one ended, or at the chain's snapshot, less the lookback: nothing is skipped. */
function checkBeginning(
  { s3, scenario }: Surroundings,
  last: IncrementWindow | undefined,
  window: IncrementWindow | undefined,
): void {
  const [entity] = scenario.entities
  if (!window || !entity?.increments) return
  const snapshot = s3.objects.get(manifestKey(entity.name, window.snapshot))?.body.toString() ?? '{}'
  const { openedAt = '' } = JSON.parse(snapshot) as { openedAt?: string }
  const begin = Date.parse(last?.snapshot === window.snapshot ? last.to : openedAt)
  const lateMs = Date.parse(window.from) - begin + entity.increments.lookbackMinutes * 60_000
  if (lateMs > 0) throw new Error(`The window from ${window.from} begins ${lateMs} ms too late.`)
}

/** The lines of objects that were read before. */
const known = new WeakMap<Buffer, readonly string[]>()

function linesOf(body: Buffer): readonly string[] {
  const lines = known.get(body) ?? gunzipSync(body).toString().split('\n').slice(0, -1)
  known.set(body, lines)
  return lines
}

function readObjects({ objects }: MemoryS3): ReadObjects {
  const read = (key: string): Buffer => {
    const body = objects.get(key)?.body
    if (!body) throw new Error(`There is no object ${key}.`)
    return body
  }
  return {
    bytes: read,
    json: <T>(key: string) => JSON.parse(read(key).toString()) as T,
    lines: (parts) => parts.flatMap(({ key }) => linesOf(read(key))),
  }
}
