import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { changesTableKey, refusedChangesKey } from '../../../functions/state/changes/changes.ts'
import type { SyncEvent } from '../../../functions/state/events.ts'
import type { Key } from '../../../functions/state/item-version.ts'
import type { EntityState } from '../../../functions/state/lease/entity-items.ts'
import type { CommittedEnd, CommittedPage } from '../../../functions/state/pages/page.ts'
import {
  endedStatuses,
  type Guard,
  hasEnded,
  highestAttempt,
  isSuspect,
  type Run,
} from '../../../functions/state/run/run.ts'
import { rangesOf } from '../../../functions/state/run/split.ts'
import {
  type Latest,
  latestKey,
  type Manifest,
  manifestKey,
  refusedKey,
  tableKey,
  tableOf,
} from '../../../functions/state/snapshots/manifest.ts'
import type { Execution } from '../functions/execution.ts'
import type { Invocation } from '../functions/invocation.ts'
import { canBeCompared, countedIdentity, documentOfLine } from '../platform/documents.ts'
import type { ScrollRecord, SimulatedPlatform } from '../platform/platform-model.ts'
import { areFiltersReorganized } from '../platform/wrong-filters.ts'
import type { ItemChange } from '../stores/memory-dynamodb.ts'
import type { StoredObject } from '../stores/memory-s3.ts'
import type { Surroundings } from '../surroundings.ts'
import { ChangeOracle, type ComparedPublication } from './change-oracle.ts'
import {
  countEach,
  incompleteness,
  isLossy,
  merged,
  together,
  totalProblem,
  withConfirmedEnd,
  withOverlaps,
} from './completeness.ts'
import type { Invariant, Violation } from './invariants.ts'
import { limitProblem } from './limit-check.ts'
import { falseStatement } from './manifest-check.ts'
import { documentsPresentIn } from './presence.ts'
import { coverageProblem, overlapProblem } from './range-check.ts'
import { leftovers, locksOf, ownersOf } from './rest-check.ts'
import { carriedOver } from './retry-check.ts'

/** Whether a refused run is being published because a person accepted it. */
const isAcceptance = (before: Run, { status, ...after }: Run): boolean =>
  before.status === 'refused' && status === 'publishing' && 'accepted' in after

/** Whether a person accepted the run after a guard had refused it. */
const isAccepted = (run: Run): boolean =>
  run.status === 'published' ? run.refusedAt !== undefined : run.status === 'publishing' && !!run.accepted

/** True if a run without ranges begins another attempt. */
function isNextAttempt(before: Run, after: Run): boolean {
  return before.split.kind === after.split.kind && highestAttempt(after) > highestAttempt(before)
}

interface Publication extends ComparedPublication {
  readonly latest: Latest
  /** Where the next comparison started from. */
  readonly tip: string | undefined
}

/** A worker checks its lease every 20 seconds, and one request takes less than two minutes. */
const leaseBlindMs = 200_000
/** An attempt gives up on an outage within the budgets of functions/worker/scroll/outcomes.ts and one requested wait. */
const givesUpWithinMs = 40 * 60_000
/** CONTRACT: items of finished runs expire after 30 days. */
const keptMs = 30 * 24 * 3_600_000
/** A frozen worker may write late, for as long as an invocation can last. */
const maxDelayMs = 15 * 60_000
/** The longest duration with crashes, three attempts, a wait for a slot and throttling before nearly every page. */
const endsWithinMs = 8 * 3_600_000

/** What the oracle tells of a chain, and needs to know of it. */
export type ChainObserver = Pick<
  ChangeOracle,
  | 'accepts'
  | 'announced'
  | 'objectWritten'
  | 'tip'
  | 'snapshotDeleted'
  | 'snapshotExpired'
  | 'isDeleted'
  | 'checkReaders'
>

/** What knows the documents: the platform, or an observer that checks what readers of the chain have. */
type Knowing = { readonly platform: SimulatedPlatform } | { readonly changes: ChainObserver }

/** Observes the stores from outside, and knows facts about the platform that no client can know. */
export class Oracle {
  readonly violations: Violation[] = []
  readonly events: SyncEvent[] = []
  readonly changes: ChainObserver
  readonly #sim: Surroundings
  readonly #platform: SimulatedPlatform | undefined
  readonly #history = new Map<string, Publication[]>()
  readonly #listed = new Map<string, number>()
  /** Unique documents of the attempts that were given up although no request's outcome was unknown. */
  readonly #cleanAttempts = new Map<string, readonly number[]>()
  /** The tolerance of the deployment that proved a run. A later deployment may publish it. */
  readonly #toleranceAtProof = new Map<string, number>()
  /** The last state of each run, whose item may have expired since. */
  readonly #lastWritten = new Map<string, Run>()
  readonly #held = new Map<Invocation, { runId: string; at: number; isIncrement: boolean }>()
  readonly #names: readonly string[]
  readonly #clocksJump: boolean
  readonly #maxJumpMs: number
  /** Maximum error of a worker's clock. */
  readonly #maxSkewMs: number
  /** The scenario lets no run succeed, and only the platform prevents it. */
  readonly #platformIsDown: boolean
  #acting: Invocation | undefined
  #pages = 0
  /** Where each run has committed pages. */
  readonly #pageKeys = new Map<string, Set<string>>()
  /** The manifests that refused runs would have had. */
  readonly #refused = new Map<string, Buffer>()
  /** Called with the number of pages that all runs have committed. */
  onPage: (pages: number) => void = () => {}

  constructor(sim: Surroundings, knowing: Knowing) {
    this.#sim = sim
    this.#platform = 'platform' in knowing ? knowing.platform : undefined
    const { platform, workers, entities } = sim.scenario
    this.#names = entities.map(({ name }) => name)
    this.#clocksJump = workers.clockJump > 0
    this.#maxJumpMs = this.#clocksJump ? workers.maxJumpMs : 0
    this.#maxSkewMs = this.#clocksJump ? Number.POSITIVE_INFINITY : workers.skewMs
    const faultless = workers.death + workers.freeze + workers.clockJump === 0 && !workers.target
    this.#platformIsDown = platform.outageMs === 600_000 && faultless && entities.length === 1
    this.changes =
      'changes' in knowing
        ? knowing.changes
        : new ChangeOracle(sim, {
            published: (entity) => this.published(entity),
            report: (invariant, detail) => this.violation(invariant, detail),
            acting: () => this.#acting,
          })
    sim.s3.onWrite = (key, change) => this.#objectWritten(key, change)
    sim.dynamodb.onWrite = (key, change) => this.#itemWritten(key, change)
  }

  violation(invariant: Invariant, detail: string): void {
    this.#sim.trace(() => `VIOLATION ${invariant}: ${detail}`)
    this.violations.push({ invariant, detail })
  }

  /** Records the invocation whose call takes effect next. */
  acting(invocation: Invocation): void {
    this.#acting = invocation
  }

  /** The invocation whose call takes effect now. */
  get actor(): Invocation | undefined {
    return this.#acting
  }

  runs(entity: string): Run[] {
    return this.#sim.dynamodb.items<Run>(`entity#${entity}`).filter(({ sk }) => sk.startsWith('run#'))
  }

  /** A full sync or an increment. */
  #run(runId: string): Run | undefined {
    return this.#names
      .flatMap((name) => this.#sim.dynamodb.items<Run>(`entity#${name}`))
      .find((item) => item.runId === runId)
  }

  /** What a person may accept. */
  refused(entity: string): { readonly runId: string; readonly guard: Guard }[] {
    const runs = this.runs(entity).filter(({ status }) => status === 'refused')
    const latest = this.published(entity).at(-1)?.latest.runId ?? ''
    const isSetRefused = this.#sim.s3.objects.has(refusedChangesKey(entity, latest))
    return [
      ...runs.map(({ runId }) => ({ runId, guard: 'snapshot' as const })),
      ...(isSetRefused ? [{ runId: latest, guard: 'changes' as const }] : []),
    ]
  }

  published(entity: string): readonly Publication[] {
    return this.#history.get(entity) ?? []
  }

  announced(event: SyncEvent): void {
    this.events.push(event)
    const { entity, runId } = event.detail
    if (event.type === 'Snapshot Published') {
      if (!this.#hasPublished(entity, runId))
        this.violation('end-is-true', `the event of ${runId} came without a snapshot`)
      return
    }
    const run = this.#run(runId)
    const told = event.type === 'Snapshot Refused' ? 'refused' : 'failed'
    // A worker that was frozen may report a refusal late, when somebody has accepted the run.
    if (run?.status !== told && !(told === 'refused' && run && isAccepted(run)))
      this.violation('end-is-true', `an event says ${told} of the run ${runId}, which is ${run?.status}`)
  }

  /** A worker answers. It holds nothing of a run that has ended. */
  responded(invocation: Invocation, { status, runId }: { status: string; runId: string | null }): void {
    const { stores } = this.#sim.scenario
    const mayBeLate = stores.ghosts + stores.staleReads > 0 || this.#timeIsOdd(invocation)
    const isEnded = (endedStatuses as readonly string[]).includes(status)
    if (runId === null || mayBeLate || !isEnded || !this.#runHasEnded(runId)) return
    // The write of another worker of the run may take effect now. The worker releases the slot when it notices that the
    // run has ended; if it has crashed, the slot expires.
    const othersWrite = [...this.#held].some(
      ([other, held]) => other !== invocation && (other.alive || other.writesLate) && held.runId === runId,
    )
    // The scroll of an increment keeps its slot until its token has expired.
    const isLeft = (lock: string) => this.#run(runId)?.kind !== 'increment' || lock.startsWith('the lease')
    const [lock] = othersWrite ? [] : locksOf(this.#sim, runId).filter(isLeft)
    if (lock) this.violation('leaves-nothing', `${invocation.id} ends ${runId} and keeps ${lock}`)
  }

  /** A request of this invocation reaches the platform: late if the worker has given it up. */
  requested(invocation: Invocation, when: 'in time' | 'late'): void {
    const { scheduler, dynamodb } = this.#sim
    const held = this.#held.get(invocation)
    if (!held || !invocation.alive || this.#timeIsOdd(invocation)) return
    const limit = held.isIncrement ? 'scrolls' : 'syncs'
    const hasSlot = ownersOf(dynamodb, limit).some(({ runId }) => runId === held.runId)
    const since = scheduler.now() - held.at
    if (since > leaseBlindMs) {
      this.violation(
        'one-run-writes',
        `${invocation.id} asks the platform ${since / 1000} s after it held the lease`,
      )
    }
    // An increment releases its slot when its scroll has ended, and the run goes on.
    const isOver = this.#runHasEnded(held.runId) || (held.isIncrement && when === 'late')
    if (!hasSlot && !isOver) {
      this.violation(
        'slots-held',
        `${invocation.id} scrolls for ${held.runId} without one of the slots for ${limit}`,
      )
    }
  }

  #timeIsOdd(invocation: Invocation): boolean {
    return invocation.wasFrozen || this.#clocksJump
  }

  #runHasEnded(runId: string): boolean {
    const run = this.#run(runId)
    return run !== undefined && hasEnded(run)
  }

  #hasPublished(entity: string, runId: string): boolean {
    return this.published(entity).some(({ latest }) => latest.runId === runId)
  }

  #itemWritten({ pk, sk }: Key, { before, after }: ItemChange): void {
    const acting = this.#acting
    this.#checkExpiry(pk, after)
    if (pk.startsWith('run#')) {
      if (before) this.violation('write-once', `${pk} ${sk} was committed twice`)
      this.#pages++
      this.onPage(this.#pages)
      const [, runId = ''] = pk.split('#')
      this.#pageKeys.set(runId, (this.#pageKeys.get(runId) ?? new Set()).add(pk))
      this.#pageCommitted(runId)
      return
    }
    if (pk === 'slots' && acting && !this.#timeIsOdd(acting)) {
      const problem = limitProblem({ sk, before, after }, acting)
      if (problem) this.violation('slots-limited', problem)
    }
    if (!pk.startsWith('entity#') || !after) return
    if (sk === 'entity') {
      const { lease } = after as EntityState
      if (lease && acting && lease.worker.startsWith(`${acting.id}#`)) {
        const isIncrement = lease.kind === 'increment'
        this.#held.set(acting, { runId: lease.runId, at: this.#sim.scheduler.now(), isIncrement })
      }
      return
    }
    const run = after as object as Run
    this.#lastWritten.set(run.runId, run)
    if (!this.#changesAtStart.has(run.runId)) {
      this.#changesAtStart.set(run.runId, this.#platform?.changes(run.entity))
      this.#startedAt.set(run.runId, this.#sim.scheduler.now())
    }
    const old = before as object as Run | undefined
    if (old && hasEnded(old) && old.status !== run.status && !isAcceptance(old, run)) {
      this.violation(
        'end-is-true',
        `the run ${run.runId} had ended as ${old.status} and became ${run.status}`,
      )
    }
    if (old && this.#hasPages(run.runId) && !isDeepStrictEqual(old.plan, run.plan))
      this.violation(
        'plan-kept',
        `${run.runId} changes from ${JSON.stringify(old.plan)} to ${JSON.stringify(run.plan)}`,
      )
    const carried = carriedOver(old || undefined, run)
    if (carried) this.violation('nothing-carried-over', `${run.runId}: ${carried}`)
    if (hasEnded(run) && !(old && hasEnded(old))) this.#runEnded(run)
    if (run.status === 'publishing' && old?.status !== 'publishing')
      this.#toleranceAtProof.set(run.runId, run.plan.totalTolerancePercent)
    if (old && isNextAttempt(old, run)) this.#attemptGivenUp(old)
  }

  #checkExpiry(pk: string, item: ItemChange['after']): void {
    if (item?.['expiresAt'] === undefined) return
    const leftMs = Number(item['expiresAt']) * 1000 - this.#sim.scheduler.now()
    if (leftMs < keptMs - this.#maxSkewMs - maxDelayMs) {
      this.violation('items-last', `an item of ${pk} expires in ${Math.round(leftMs / 3_600_000)} hours`)
    }
  }

  #runEnded(run: Run): void {
    const isIncrement = run.kind === 'increment'
    this.#sim.count(`${isIncrement ? 'increment' : 'run'} ${run.status}`)
    if (run.status === 'published' && run.proof) this.#sim.count(`proof ${run.proof}`)
    const published = this.#hasPublished(run.entity, run.runId)
    if (!isIncrement && published !== (run.status === 'published')) {
      this.violation(
        'end-is-true',
        `the run ${run.runId} ends as ${run.status} and has ${published ? '' : 'not '}published`,
      )
    }
    if (run.status === 'failed' && !run.abandoned && this.#sim.scenario.onlyThrottles)
      this.violation('throttling-survived', `the run ${run.runId} fails: ${run.reason}`)
    if (run.status !== 'published' && !('reason' in run && run.reason?.trim())) {
      this.violation('end-is-true', `the run ${run.runId} ends as ${run.status} without a reason`)
    }
  }

  /** A worker that was frozen may commit once more. A running one must have noticed that it lost its lease. */
  #pageCommitted(runId: string): void {
    const { dynamodb, scheduler } = this.#sim
    const acting = this.#acting
    const held = acting && this.#held.get(acting)
    if (!acting?.alive || !held || this.#timeIsOdd(acting) || scheduler.now() - held.at <= leaseBlindMs)
      return
    for (const name of this.#names) {
      const holder = dynamodb.item<EntityState>(`entity#${name}`, 'entity')?.lease?.runId
      if (holder && holder !== runId && this.runs(name).some((run) => run.runId === runId)) {
        this.violation(
          'one-run-writes',
          `${acting.id} commits a page of ${runId} while ${holder} has the lease`,
        )
      }
    }
  }

  #objectWritten(
    key: string,
    { before, after }: { before: StoredObject | undefined; after: StoredObject | undefined },
  ): void {
    const [folder, entity = '', runId = ''] = key.split('/')
    // See the oracle of tables.
    if (folder === 'iceberg') return
    if (folder === 'changes') {
      this.changes.objectWritten(key, { before, after })
      return
    }
    if (key === changesTableKey(entity.replace(/\.changes$/, ''))) return
    if (key === latestKey(entity)) {
      if (after) this.#latestMoves(entity, after)
      else this.violation('latest-forward', 'latest.json was deleted')
      return
    }
    if (key === tableKey(entity)) {
      this.#tableMoves(entity, after)
      return
    }
    if (after && !before && key === refusedKey(entity, runId)) this.#refused.set(runId, after.body)
    const isAgain = key === manifestKey(entity, runId) || (after && !before?.body.equals(after.body))
    if (before && after && isAgain) this.violation('write-once', `${key} was written again`)
    // Nothing is lost if somebody else has deleted it since it was listed.
    if (after || !before) return
    const run = this.runs(entity).find((one) => one.runId === runId)
    // A published run's other attempts and its expired snapshot are of no use to anybody.
    const mayBeWritten = run && hasEnded(run) && run.status !== 'published' && run.abandoned
    const endedMs = mayBeWritten ? Date.parse(run.endedAt) : 0
    if (this.#sim.scheduler.now() - endedMs < maxDelayMs - this.#maxSkewMs)
      this.violation('late-writers-spared', `${key} was deleted, whose worker may still write`)
    const settings = this.#acting?.deployed.entities.find(({ name }) => name === entity)
    // A comparison that was frozen can make a snapshot the tip after its deletion.
    const mayBeDeleted = settings?.changes === false || this.changes.tip(entity) !== runId
    if (mayBeDeleted) this.changes.snapshotDeleted(runId)
    if (settings?.changes && key === manifestKey(entity, runId)) this.changes.snapshotExpired(runId)
    const kept = this.published(entity).slice(-2)
    const needed = kept.some(
      ({ manifest }) =>
        manifest.runId === runId &&
        (key === manifestKey(entity, runId) || manifest.pages.some((page) => page.key === key)),
    )
    if (needed) this.violation('pages-whole', `${key} was deleted, which a published snapshot needs`)
  }

  #tableMoves(entity: string, object: StoredObject | undefined): void {
    const list = object?.body.toString()
    const at = this.published(entity).findLastIndex(({ manifest }) => tableOf('snapshots', manifest) === list)
    const before = this.#listed.get(entity) ?? -1
    if (at < before || at < 0)
      this.violation('table-follows', `the table of ${entity} moves from ${before} to ${at}: ${list}`)
    this.#listed.set(entity, at)
  }

  #latestMoves(entity: string, object: StoredObject): void {
    const latest = JSON.parse(object.body.toString()) as Latest
    const history = this.#history.get(entity) ?? []
    this.#history.set(entity, history)
    const before = history.at(-1)
    if (before && before.latest.runId >= latest.runId) {
      this.violation('latest-forward', `latest.json moves from ${before.latest.runId} to ${latest.runId}`)
      return
    }
    const stored = this.#sim.s3.objects.get(manifestKey(entity, latest.runId))
    if (!stored || latest.manifest !== manifestKey(entity, latest.runId)) {
      this.violation('pages-whole', `latest.json moves to ${latest.runId}, which has no manifest`)
      return
    }
    const manifest = JSON.parse(stored.body.toString()) as Manifest
    if (manifest.runId !== latest.runId || manifest.documents !== latest.documents) {
      this.violation(
        'proof-true',
        `latest.json says ${object.body.toString()}, its manifest ${stored.body.toString()}`,
      )
      return
    }
    const run = this.runs(entity).find((one) => one.runId === latest.runId)
    if (!run || hasEnded(run)) {
      this.violation('end-is-true', `latest.json moves to ${latest.runId}, which is ${run?.status}`)
      return
    }
    this.#sim.trace(
      () => `latest.json moves to ${latest.runId}: ${manifest.documents} documents, ${manifest.proof}`,
    )
    if (run.status === 'publishing' && run.accepted) this.#checkAcceptance(run, stored)
    else this.#checkGuards(run, manifest, before)
    const documents = this.#readDocuments(manifest)
    if (documents) this.#checkSnapshot(run, manifest, documents)
    const present = documentsPresentIn(this.#statesDuring(run), manifest.idField)
    history.push({ latest, manifest, present, documents: documents ?? [], tip: this.changes.tip(entity) })
  }

  #checkGuards(run: Run, { documents, uniqueIds }: Manifest, before: Publication | undefined): void {
    // The guards are those of the deployment with which the run began.
    const { maxShrinkPercent, allowEmpty } = run.plan
    const known = before?.manifest.uniqueIds ?? 0
    const tooMuch = !run.acceptShrink && (known - uniqueIds) * 100 > maxShrinkPercent * known
    if (tooMuch || (documents === 0 && !allowEmpty)) {
      this.violation('guards-hold', `${run.runId} publishes ${uniqueIds} unique documents after ${known}`)
    }
  }

  /** An accepted run publishes exactly what was reviewed. */
  #checkAcceptance({ runId }: Run, { body }: StoredObject): void {
    this.#sim.count('accepted snapshot published')
    if (!this.#refused.get(runId)?.equals(body))
      this.violation('guards-hold', `${runId} was accepted, and publishes something else`)
  }

  /**
   * The snapshot's documents as indexes into the pool, or undefined if a page differs from the manifest, or if the
   * platform's documents are not those of the pool.
   */
  #readDocuments(manifest: Manifest): number[] | undefined {
    const found: number[] = []
    for (const page of manifest.pages) {
      const object = this.#sim.s3.objects.get(page.key)?.body
      if (
        !object ||
        object.length !== page.bytes ||
        createHash('sha256').update(object).digest('hex') !== page.sha256
      ) {
        this.violation('pages-whole', `${page.key} is ${object ? 'not what the manifest says' : 'missing'}`)
        return undefined
      }
      const lines = gunzipSync(object).toString('latin1').split('\n')
      if (lines.pop() !== '' || lines.length !== page.documents) {
        this.violation('proof-true', `${page.key} has ${lines.length} lines, not ${page.documents}`)
      }
      if (!this.#platform) continue
      for (const line of lines) {
        const index = documentOfLine(line, this.#sim.scenario.platform.rendering)
        if (index === undefined) {
          this.violation('snapshot-complete', `${page.key} holds what was never sent: ${line.slice(0, 200)}`)
          return undefined
        }
        found.push(index)
      }
    }
    return this.#platform && found
  }

  #checkSnapshot(run: Run, manifest: Manifest, found: readonly number[]): void {
    const { entity, runId, attempts, documents, uniqueIds, reportedTotal, proof } = manifest
    const counts = countEach(found)
    const ids = new Set(found.map((index) => countedIdentity(index, manifest.idField))).size
    const name = `${entity} ${runId}`
    if (documents !== found.length || uniqueIds !== ids) {
      this.violation(
        'proof-true',
        `${name} says ${documents} documents and ${uniqueIds} ids; they are ${found.length} and ${ids}`,
      )
    }
    const tolerance = this.#toleranceAtProof.get(runId) ?? 0
    const isWithin =
      reportedTotal !== null && Math.abs(ids - reportedTotal) * 100 <= tolerance * reportedTotal
    const proven = {
      exact: reportedTotal === ids,
      'no-total': reportedTotal === null && !isSuspect(run),
      'within-tolerance': isWithin && !isSuspect(run),
    }
    // Each range has a proof of its own.
    if (!manifest.partitions && !proven[proof]) {
      this.violation(
        'proof-true',
        `${name} claims ${proof} with ${ids} of ${reportedTotal}, suspect ${isSuspect(run)}`,
      )
    }
    if (manifest.partitions) {
      this.#checkPartitions(run, manifest, counts)
      return
    }
    const scrolls = this.#scrollsOf(entity, { runId, attempt: attempts }).map((scroll) =>
      this.#mayEndEarly(manifest, { scroll, ids }) ? withConfirmedEnd(scroll) : scroll,
    )
    const problems = scrolls.map(
      (scroll) => incompleteness(counts, scroll, manifest.idField) ?? totalProblem(manifest, scroll),
    )
    const falsehoods = scrolls.map((scroll) => falseStatement(manifest, scroll, this.#maxSkewMs))
    if (scrolls.length > 0 && !falsehoods.includes(undefined))
      this.violation('proof-true', `${name} ${falsehoods[0]}`)
    this.#checkTolerance(manifest, ids)
    if (!problems.includes(undefined)) {
      this.violation(
        'snapshot-complete',
        `${name} (${proof}): ${problems[0] ?? 'its pages belong to no scroll'}`,
      )
    }
  }

  /** The snapshot holds what the scrolls of its ranges sent, and the whole entity if that did not change. */
  #checkPartitions(run: Run, manifest: Manifest, counts: ReadonlyMap<number, number>): void {
    const { entity, runId, partitions = [], proof, idField } = manifest
    this.#sim.count('published in ranges')
    const { filters, total, live } = this.#sim.scenario.platform
    const isClear = ['honest', 'ignored'].includes(filters) && total === 'right' && !this.#hasChanged(run)
    const overlap = isClear ? overlapProblem(manifest) : undefined
    if (overlap) this.violation('coverage-true', `${entity} ${runId} ${overlap}`)
    const ranges = rangesOf(run.split)
    const scrolls = partitions.map(({ where, attempts }) => {
      const range = ranges.findIndex(({ filter }) => filter?.where === where)
      const found = this.#scrollsOf(entity, { runId, range, attempt: attempts })
      const own = found.filter(({ scroll }) => scroll.query.get('_where')?.endsWith(where))
      return own.length === 1 && own[0] ? own[0] : withOverlaps(merged(found))
    })
    const problem = incompleteness(counts, together(scrolls, { counts, idField }), idField)
    // A range's total that is wrong by what was lost hides the loss, within the tolerance of the whole or if as many
    // documents were deleted as were lost.
    const isHidden = scrolls.some(
      ({ reported, documents }) => reported !== undefined && reported !== documents.length,
    )
    if (problem && !(isHidden && (proof === 'within-tolerance' || this.#hasChanged(run))))
      this.violation('snapshot-complete', `${entity} ${runId} (${proof}, in ranges): ${problem}`)
    if (scrolls.some(isLossy) || live) return
    const missing = coverageProblem(manifest, {
      found: counts,
      states: this.#statesDuring(run),
      totals: (this.#platform?.totals ?? []).filter((one) => one.entity === entity),
      tolerancePercent: this.#toleranceAtProof.get(runId) ?? 0,
      maxSkewMs: this.#maxSkewMs,
    })
    if (missing) this.violation('coverage-true', `${entity} ${runId} ${missing}`)
  }

  /** True if the entity's documents have changed since the run began. */
  #hasChanged({ entity, runId }: Run): boolean {
    return this.#platform?.changes(entity) !== this.#changesAtStart.get(runId)
  }

  /**
   * The states of the entity's collection from the beginning of a run until now; none if filters are wrong and it has
   * changed, since a document that they miss can look like one that was created or deleted meanwhile, nor if filters
   * begin to miss a document after the run has shown that they find all.
   */
  #statesDuring(run: Run): readonly (readonly number[])[] {
    const { scenario, scheduler } = this.#sim
    const { filters } = scenario.platform
    const startedAt = this.#startedAt.get(run.runId) ?? 0
    const isReorganized = areFiltersReorganized(filters, startedAt, scheduler.now())
    if (filters !== 'honest' && (this.#hasChanged(run) || isReorganized)) return []
    return this.#platform?.statesSince(run.entity, this.#changesAtStart.get(run.runId) ?? 0) ?? []
  }

  /** False also if its pages have expired: such a run begins again, by the configuration of the day. */
  #hasPages(runId: string): boolean {
    return [...(this.#pageKeys.get(runId) ?? [])].some((pk) => this.#sim.dynamodb.items(pk).length > 0)
  }

  /** How often the collection had changed when a run began. */
  readonly #changesAtStart = new Map<string, number | undefined>()
  /** When a run began, in epoch milliseconds. */
  readonly #startedAt = new Map<string, number>()

  /** A clean attempt that is short by a page or more needs another clean attempt with the same number. */
  #checkTolerance({ runId, pages, proof, reportedTotal }: Manifest, uniqueIds: number): void {
    const largestPage = Math.max(...pages.map(({ documents }) => documents))
    const isShort = reportedTotal !== null && reportedTotal - uniqueIds >= largestPage
    if (proof !== 'within-tolerance' || !isShort) return
    const earlier = this.#cleanAttempts.get(runId) ?? []
    if (!earlier.includes(uniqueIds)) {
      this.violation(
        'proof-true',
        `${runId} is short by a page, and its clean attempts found ${earlier.join(', ')}`,
      )
    }
  }

  /**
   * Within the tolerance an end counts although the outcome of a request that confirms it is unknown (CONTRACT: the
   * scroll, rule 4): if the next such request confirms it, or else if another clean attempt found as many documents.
   */
  #mayEndEarly(
    { runId, attempts, proof }: Manifest,
    { scroll: { lies }, ids }: { readonly scroll: ScrollRecord; readonly ids: number },
  ): boolean {
    if (proof !== 'within-tolerance' || !lies.has('early-end')) return false
    const items = this.#sim.dynamodb.items<Partial<CommittedEnd>>(`run#${runId}#${attempts}`)
    return items.some(({ isConfirmed }) => isConfirmed === false)
      ? (this.#cleanAttempts.get(runId) ?? []).includes(ids)
      : lies.has('early-end-unanswered')
  }

  /** Counts the documents of a clean attempt that is given up, by what is stored. */
  #attemptGivenUp(run: Run): void {
    if (!this.#platform || run.split.kind === 'ranges' || isSuspect(run)) return
    const ids = new Set<number>()
    const { rendering } = this.#sim.scenario.platform
    for (const item of this.#sim.dynamodb.items<Partial<CommittedPage>>(
      `run#${run.runId}#${highestAttempt(run)}`,
    )) {
      const object = this.#sim.s3.objects.get(item.key ?? '')
      if (!object) continue
      for (const line of gunzipSync(object.body).toString('latin1').split('\n')) {
        const index = documentOfLine(line, rendering)
        if (index !== undefined) ids.add(countedIdentity(index, run.plan.idField))
      }
    }
    this.#cleanAttempts.set(run.runId, [...(this.#cleanAttempts.get(run.runId) ?? []), ids.size])
  }

  /** The scroll that an attempt's tokens belong to; without tokens, every scroll that it could be. */
  #scrollsOf(
    entity: string,
    { runId, range, attempt }: { runId: string; range?: number; attempt: number },
  ): ScrollRecord[] {
    const { dynamodb } = this.#sim
    const platform = this.#platform
    if (!platform) return []
    const partition = range === undefined ? `run#${runId}#${attempt}` : `run#${runId}#r${range}#${attempt}`
    const tokens = dynamodb.items<CommittedPage>(partition).flatMap(({ token }) => token ?? [])
    const scrolls = new Set(tokens.map((token) => platform.recordOfToken(token)))
    const known = [...scrolls].filter((scroll) => scroll !== undefined)
    const ofEntity = platform.scrolls.filter((scroll) => scroll.entity === entity)
    // The tokens of a scroll that gave the client a foreign one may not be stored at all.
    const liars = ofEntity.filter(({ lies }) => lies.has('foreign-token'))
    // Any of these scrolls may be the one that the attempt opened, whose total counts.
    const group = liars.length > 0 ? [...new Set([...known, ...liars])] : []
    const mixed = group.map((first) => withOverlaps(merged([first, ...group.filter((one) => one !== first)])))
    if (known.length > 0 && liars.length > 0) return mixed
    if (scrolls.size > 1)
      this.violation('snapshot-complete', `the attempt ${attempt} of ${runId} mixes two scrolls`)
    return known.length > 0 ? known : [...ofEntity, ...mixed]
  }

  /** Checks the run that published after all faults have stopped. */
  checkRanges(entity: string): void {
    const run = this.#lastWritten.get(this.published(entity).at(-1)?.latest.runId ?? '')
    const platform = this.#platform
    if (!platform || this.#sim.scenario.platform.filters !== 'honest' || run?.split.kind !== 'fallback')
      return
    const { reason } = run.split
    const isUnproven = /^The ranges have|could not be proven/.test(reason)
    if (isUnproven && platform.collection(entity).every(canBeCompared))
      this.violation('ranges-cover', `${run.runId} scrolls without its ranges: ${reason}`)
  }

  /** Checks the final state, when no run is in progress. */
  checkAtRest(executions: readonly Execution[]): void {
    const { dynamodb } = this.#sim
    for (const execution of executions) this.#checkExecution(execution)
    for (const name of this.#names) {
      for (const run of this.runs(name)) {
        if (!hasEnded(run)) this.violation('ends-in-time', `the run ${run.runId} is still ${run.status}`)
      }
      const latest = this.published(name).at(-1)?.latest
      const kept = dynamodb.item<EntityState>(`entity#${name}`, 'entity')?.latest?.runId
      if (latest && kept !== latest.runId) {
        this.violation(
          'end-is-true',
          `the state table names ${kept} as published, latest.json ${latest.runId}`,
        )
      }
      const listed = this.#sim.s3.objects.get(tableKey(name))?.body.toString()
      const last = this.published(name).at(-1)?.manifest
      if (listed !== (last && tableOf('snapshots', last)))
        this.violation('table-follows', `the table of ${name} lists ${listed}, published is ${last?.runId}`)
      for (const { manifest } of this.published(name).slice(-2))
        if (!this.changes.isDeleted(manifest.runId)) this.#readDocuments(manifest)
      this.#checkChanges(name)
      const newest = this.runs(name).toSorted((one, other) => (one.runId < other.runId ? 1 : -1))[0]
      const left =
        newest?.status === 'published'
          ? leftovers(this.#sim, { entity: name, tip: this.published(name).at(-1)?.tip })
          : []
      if (left.length > 0) this.violation('leaves-nothing', `${name} has ${left.slice(0, 3).join(', ')}`)
    }
    for (const key of this.#sim.s3.objects.keys()) {
      if (!key.startsWith('snapshots/') || !key.endsWith('/manifest.json')) continue
      const manifest = JSON.parse(this.#sim.s3.objects.get(key)?.body.toString() ?? '') as Manifest
      const missing = manifest.pages.find((page) => !this.#sim.s3.objects.has(page.key))
      if (missing && !this.changes.isDeleted(manifest.runId))
        this.violation('pages-whole', `${key} lists ${missing.key}, which is gone`)
    }
  }

  /** The last run published, and its deletes were accepted: the chain has to lead there. */
  #checkChanges(entity: string): void {
    const { scenario } = this.#sim
    const settings = scenario.entities.find(({ name }) => name === entity)
    if (!scenario.compares || settings?.changes === false) return
    this.changes.checkReaders(entity)
    const latest = this.published(entity).at(-1)?.latest.runId
    const newest = this.runs(entity).toSorted((one, other) => (one.runId < other.runId ? 1 : -1))[0]
    const tip = this.changes.tip(entity)
    if (newest?.status === 'published' && tip !== latest)
      this.violation('recovers', `the tip of ${entity} is ${tip} after a comparison with ${latest}`)
  }

  #checkExecution(execution: Execution): void {
    const { id, accepts, status, last, crashed, stoppedByHand, startedAt, endedAt = 0 } = execution
    const tookMs = endedAt - startedAt
    const run = this.#lastWritten.get(String(last?.['runId']))
    const downMs = givesUpWithinMs * (run ? highestAttempt(run) : 1)
    if (tookMs > (this.#platformIsDown ? downMs : endsWithinMs + this.#maxJumpMs))
      this.violation('ends-in-time', `the execution ${id} took ${Math.round(tookMs / 60_000)} minutes`)
    const fitting = {
      SUCCEEDED: ['published', 'skipped'],
      FAILED: ['failed', 'refused', 'cancelled'],
      ABORTED: ['cancelled'],
      RUNNING: [],
    }
    const told: readonly string[] = fitting[status]
    // A worker that never answered reported nothing, and the next worker may have ended the run of a crashed one.
    if (crashed || stoppedByHand || (status === 'ABORTED' && !last)) return
    // One that cannot accept anything fails and leaves the run as it is.
    if (accepts && status === 'FAILED') return
    // The run was accepted after its own execution had ended.
    if (status === 'FAILED' && run?.status === 'published' && run.by !== undefined) return
    // An increment that found nothing new has no item.
    if (!run && status === 'SUCCEEDED' && last?.['kind'] === 'increment') return
    // A run of an entity that is not configured is never created.
    if (!run && status === 'FAILED' && last?.['runId'] === null) return
    if (!run || !told.includes(run.status)) {
      this.violation(
        'end-is-true',
        `the execution ${id} is ${status}, its run ${run?.runId} is ${run?.status}`,
      )
    }
  }
}
