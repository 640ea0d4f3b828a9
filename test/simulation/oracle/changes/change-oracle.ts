import { keepsFailing } from '../../../../stored/changes/change-chain.ts'
import {
  changesLatestKey,
  refusedChangesKey,
  setManifestKey,
  unpublishedKey,
} from '../../../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../../stored/changes/changes-latest.ts'
import type { ChangesEvent } from '../../../../stored/events.ts'
import type { Invocation } from '../../functions/invocation.ts'
import { twins } from '../../platform/document-versions.ts'
import { lineOf } from '../../platform/documents.ts'
import type { StoredObject } from '../../stores/memory-s3.ts'
import type { Surroundings } from '../../surroundings.ts'
import type { Invariant, Report } from '../invariants.ts'
import type { ChainState, ComparedPublication } from './chain-state.ts'
import { documentsOf, expectedChanges, idSumOf, uniqueDocuments } from './chain-state.ts'
import { type Chain, ReaderCheck } from './reader-check.ts'
import { SetParts } from './set-parts.ts'

/** The parts that observe comparisons. */
interface Observation {
  readonly published: (entity: string) => readonly ComparedPublication[]
  readonly report: Report
  /** The invocation whose call takes effect. */
  readonly acting: () => Invocation | undefined
}

interface ObjectChange {
  readonly before: StoredObject | undefined
  readonly after: StoredObject | undefined
}

/** Keeps plain maps of documents, and compares every change set with what the design promises of it. */
export class ChangeOracle {
  readonly #sim: Surroundings
  readonly #observed: Observation
  readonly #chains = new Map<string, Chain>()
  /** The state after each set: readers may continue from any of them. */
  readonly #states = new Map<string, Map<string, ChainState>>()
  /** Snapshots that a person deleted, by run. */
  readonly #deleted = new Set<string>()
  /** Snapshots that a clean-up deleted, by run. */
  readonly #expired = new Set<string>()
  /** Runs whose set may be a reset: it was when its manifest was written. */
  readonly #resets = new Set<string>()
  readonly #parts: SetParts
  readonly #readers: ReaderCheck
  /** Runs for which a comparison accepted deletes. */
  readonly #accepted = new Set<string>()

  constructor(sim: Surroundings, observed: Observation) {
    this.#sim = sim
    this.#parts = new SetParts(sim, observed.report)
    this.#readers = new ReaderCheck(sim, observed.report, this.#parts)
    this.#observed = observed
  }

  /** A comparison starts that accepts the deletes of this run. */
  accepts(runId: string): void {
    this.#accepted.add(runId)
  }

  /** Records that a person deletes the snapshot of a run. */
  snapshotDeleted(runId: string): void {
    this.#deleted.add(runId)
  }

  /** A clean-up deletes the snapshot of a run while change sets are on. */
  snapshotExpired(runId: string): void {
    this.#expired.add(runId)
  }

  isDeleted(runId: string): boolean {
    return this.#deleted.has(runId)
  }

  tip(entity: string): string | undefined {
    return this.#chains.get(entity)?.latest.tip
  }

  announced(event: ChangesEvent): void {
    this.#sim.count(`event: ${event.type}`)
    if (event.type !== 'Changes Published') return
    const { entity, runId } = event.detail
    if (!this.#states.get(entity)?.has(runId))
      this.#report('changes-true', `an event announces the set of ${runId}, which is not published`)
  }

  /** An object below `changes/` is about to be written or deleted. */
  objectWritten(key: string, { before, after }: ObjectChange): void {
    const [, entity = '', runId = ''] = key.split('/')
    if (key === changesLatestKey(entity)) {
      if (after) this.#chainMoves(entity, JSON.parse(after.body.toString()) as ChangesLatest)
      else this.#report('chain-forward', `${key} was deleted`)
      return
    }
    const chain = this.#chains.get(entity)
    const isListed = chain?.latest.sets.some((set) => set.runId === runId) ?? false
    if (key === setManifestKey(entity, runId)) {
      if (after) this.#setWritten(entity, JSON.parse(after.body.toString()) as SetManifest)
      const isChanged = before && !(after && before.body.equals(after.body))
      if (isListed && isChanged) this.#report('sets-whole', `${key} was changed after its publication`)
      return
    }
    // A repeated comparison records its refusal again, and why it publishes nothing.
    if (key === refusedChangesKey(entity, runId) || key === unpublishedKey(entity)) return
    if (before && after && !before.body.equals(after.body)) this.#report('sets-whole', `${key} was changed`)
    if (!after && (isListed || runId === chain?.latest.tip))
      this.#report('sets-whole', `${key} was deleted, which a published set needs`)
  }

  /** Whether the set may start the chain again, and whether its deletes pass the guard, depend on this moment. */
  #setWritten(entity: string, manifest: SetManifest): void {
    const { runId } = manifest
    if (manifest.kind === 'reset') {
      if (this.#resetCause(entity, manifest) !== undefined) this.#resets.add(runId)
      return
    }
    if (manifest.kind === 'increment') return
    const { deleted, baseDocuments } = manifest
    const entities = this.#observed.acting()?.deployed.entities ?? []
    const settings = entities.find(({ name }) => name === entity)?.changes
    const maxPercent = settings ? settings.maxDeletePercent : 0
    const isTooMuch = deleted > 10 && deleted * 100 > maxPercent * baseDocuments
    const wasReviewed =
      manifest.by !== undefined && this.#sim.s3.objects.has(refusedChangesKey(entity, runId))
    if (wasReviewed) this.#sim.count('accepted set written')
    if (isTooMuch && !wasReviewed && !this.#accepted.has(runId))
      this.#report('deletes-guarded', `the set of ${runId} deletes ${deleted} of ${baseDocuments}`)
  }

  /** Why the chain may start again with this set. */
  #resetCause(entity: string, { runId, ignore }: SetManifest): string | undefined {
    const chain = this.#chains.get(entity)
    if (!chain) return 'first'
    if (chain.latest.reset) return 'off'
    if (this.#deleted.has(chain.latest.tip)) return 'deleted'
    if (keepsFailing(chain.latest)) return 'failures'
    return this.#mustReset(entity, { runId, ignore }) ? 'settings' : undefined
  }

  #mustReset(entity: string, { runId, ignore }: Pick<SetManifest, 'runId' | 'ignore'>): boolean {
    const chain = this.#chains.get(entity)
    if (!chain || chain.latest.reset) return true
    const [base, target] = [chain.latest.tip, runId].map((run) => this.#publication(entity, run)?.manifest)
    return (
      JSON.stringify(base?.query) !== JSON.stringify(target?.query) ||
      base?.idField !== target?.idField ||
      JSON.stringify(chain.manifest.ignore) !== JSON.stringify(ignore)
    )
  }

  #report(invariant: Invariant, detail: string): void {
    this.#observed.report(invariant, detail)
  }

  #publication(entity: string, runId: string): ComparedPublication | undefined {
    return this.#observed.published(entity).find(({ manifest }) => manifest.runId === runId)
  }

  #chainMoves(entity: string, latest: ChangesLatest): void {
    const chain = this.#chains.get(entity)
    const { tip } = latest
    if (chain && (latest.announced || latest.reset || latest.failures)) {
      const { announced: _announced, reset: _reset, failures: _failures, ...rest } = chain.latest
      const { announced: _isAnnounced, reset, failures, ...others } = latest
      if (JSON.stringify(rest) !== JSON.stringify(others))
        this.#report(
          'chain-forward',
          `a note about the next set changed the chain: ${JSON.stringify(latest)}`,
        )
      this.#chains.set(entity, { ...chain, latest })
      if (reset !== chain.latest.reset) this.#sim.count('set: off')
      if (failures?.count !== chain.latest.failures?.count) this.#sim.count('set: failure')
      return
    }
    if (chain && tip <= chain.latest.tip) {
      this.#report('chain-forward', `the tip moves from ${chain.latest.tip} to ${tip}`)
      return
    }
    const publication = this.#publication(entity, tip)
    const stored = this.#sim.s3.objects.get(setManifestKey(entity, tip))
    if (!publication || !stored) {
      this.#report('chain-forward', `the tip moves to ${tip}, which has no snapshot or no set`)
      return
    }
    if (
      this.#expired.has(tip) &&
      this.#observed.acting()?.alive &&
      this.#sim.scenario.workers.clockJump === 0
    )
      this.#report('chain-forward', `the tip moves to ${tip}, whose snapshot was cleaned up`)
    const manifest = JSON.parse(stored.body.toString()) as SetManifest
    this.#checkList(chain, latest, manifest)
    const state = this.#checkSet({ entity, chain, manifest, publication })
    this.#chains.set(entity, { latest, state, manifest })
    const states = this.#states.get(entity) ?? new Map<string, ChainState>()
    this.#states.set(entity, states.set(tip, state))
    this.#sim.count(`set: ${manifest.kind}`)
  }

  /** The list keeps the sets before it, except for those that have expired, and ends with the new one. */
  #checkList(chain: Chain | undefined, { sets }: ChangesLatest, manifest: SetManifest): void {
    const { runId, base, kind } = manifest
    const last = sets.at(-1)
    const kept = sets.slice(0, -1).map((set) => set.runId)
    const known = kind === 'reset' ? [] : (chain?.latest.sets.map((set) => set.runId) ?? [])
    const isSuffix = kept.every((run, at) => run === known[known.length - kept.length + at])
    if (last?.runId !== runId || last.base !== base || last.kind !== kind || !isSuffix)
      this.#report('chain-forward', `the sets ${known.join(', ')} become ${JSON.stringify(sets)}`)
  }

  /** Returns the state after the set. */
  #checkSet(set: {
    readonly entity: string
    readonly chain: Chain | undefined
    readonly manifest: SetManifest
    readonly publication: ComparedPublication
  }): ChainState {
    const { entity, chain, manifest, publication } = set
    const { runId, kind, idField, ignore } = manifest
    const { rendering } = this.#sim.scenario.platform
    const target = uniqueDocuments(publication.documents, idField)
    const isReset = kind === 'reset'
    if (isReset && !this.#resets.has(runId) && this.#resetCause(entity, manifest) === undefined)
      this.#report('changes-true', `the set of ${runId} is a reset without a cause: ${manifest.reason}`)
    if (!isReset && (this.#mustReset(entity, manifest) || manifest.base !== chain?.latest.tip))
      this.#report('changes-true', `the set of ${runId} continues ${manifest.base}, which it cannot`)
    const base = isReset ? undefined : chain?.state
    const expected = expectedChanges(base, target, { manifest: publication.manifest, ignore })
    this.#parts.checkDeletes(manifest, publication)
    this.#parts.checkRecords(manifest, expected.records)
    const withheld = this.#parts.read(manifest.withheldParts).toSorted()
    const expectedWithheld = [...expected.state.withheld.values()].map((index) => lineOf(index, rendering))
    if (JSON.stringify(withheld) !== JSON.stringify(expectedWithheld.toSorted()))
      this.#report(
        'changes-true',
        `the set of ${runId} withholds ${withheld.length} documents instead of ${expectedWithheld.length}`,
      )
    const state = { ...expected.state, idField, ignore }
    const documents = [...documentsOf(state).values()]
    const hasTwin = documents.some((index) => (twins as readonly number[]).includes(index))
    const idSum = hasTwin ? manifest.stateIdSum : idSumOf(documents, { idField, rendering })
    if (manifest.stateDocuments !== documents.length || manifest.stateIdSum !== idSum)
      this.#report('changes-true', `the set of ${runId} counts ${manifest.stateDocuments} documents`)
    return state
  }

  /** Readers that stopped after any set apply the sets since then, twice, and have the state of the tip. */
  checkReaders(entity: string): void {
    const chain = this.#chains.get(entity)
    if (chain) this.#readers.check(entity, chain, this.#states.get(entity) ?? new Map())
  }
}
