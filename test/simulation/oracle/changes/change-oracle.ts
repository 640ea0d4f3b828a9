import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { keepsFailing, setsSince } from '../../../../functions/state/changes/change-chain.ts'
import {
  type ChangePart,
  type ChangesLatest,
  changesLatestKey,
  refusedChangesKey,
  type SetManifest,
  setManifestKey,
} from '../../../../functions/state/changes/changes.ts'
import type { ChangesEvent } from '../../../../functions/state/events.ts'
import type { Manifest } from '../../../../functions/state/snapshots/manifest.ts'
import type { Invocation } from '../../functions/invocation.ts'
import { hasSameContent, twins } from '../../platform/document-versions.ts'
import { lineOf } from '../../platform/documents.ts'
import type { StoredObject } from '../../stores/memory-s3.ts'
import type { Surroundings } from '../../surroundings.ts'
import type { Invariant } from '../invariants.ts'
import { nameIn } from '../snapshots/presence.ts'
import {
  type ChainState,
  documentsOf,
  type ExpectedRecord,
  expectedChanges,
  idSumOf,
  isRecordOf,
  uniqueDocuments,
} from './chain-state.ts'
import { loadState, type ReaderDocuments, readRecord, upsert } from './set-reader.ts'

/** A published snapshot and its documents in manifest order, as indexes into the pool. */
export interface ComparedPublication {
  readonly manifest: Manifest
  readonly documents: readonly number[]
  /** Documents that the platform had during the whole run. */
  readonly present: ReadonlySet<string>
}

interface Chain {
  readonly latest: ChangesLatest
  readonly state: ChainState
  readonly manifest: SetManifest
}

/** What the comparisons are observed with. */
interface Observation {
  readonly published: (entity: string) => readonly ComparedPublication[]
  readonly report: (invariant: Invariant, detail: string) => void
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
  /** Snapshots that somebody deleted, by run. */
  readonly #deleted = new Set<string>()
  /** Snapshots that a clean-up deleted, by run. */
  readonly #expired = new Set<string>()
  /** Runs whose set may be a reset: it was when its manifest was written. */
  readonly #resets = new Set<string>()
  /** Scrolls of this platform can lack documents, and nobody can know it. */
  readonly #mayLose: boolean
  /** Runs for which a comparison accepted deletes. */
  readonly #accepted = new Set<string>()

  constructor(sim: Surroundings, observed: Observation) {
    this.#sim = sim
    const { platform } = sim.scenario
    // A total that is wrong by as much as was lost hides the loss.
    this.#mayLose = platform.lies > 0 || platform.live || platform.total !== 'right'
    this.#observed = observed
  }

  /** A comparison starts that accepts the deletes of this run. */
  accepts(runId: string): void {
    this.#accepted.add(runId)
  }

  /** Somebody deletes the snapshot of a run. */
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
    // A repeated comparison records its refusal again.
    if (key === refusedChangesKey(entity, runId)) return
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
      this.#report('changes-true', `the set of ${runId} is a reset without a cause`)
    if (!isReset && (this.#mustReset(entity, manifest) || manifest.base !== chain?.latest.tip))
      this.#report('changes-true', `the set of ${runId} continues ${manifest.base}, which it cannot`)
    const base = isReset ? undefined : chain?.state
    const expected = expectedChanges(base, target, { manifest: publication.manifest, ignore })
    this.#checkDeletes(manifest, publication)
    this.#checkRecords(manifest, expected.records)
    const withheld = this.#read(manifest.withheldParts).toSorted()
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

  /** A document that the platform had during the whole run was not deleted, whatever the snapshot lacks. */
  #checkDeletes({ runId, idField, parts }: SetManifest, { present }: ComparedPublication): void {
    if (this.#mayLose) return
    const { rendering } = this.#sim.scenario.platform
    const deleted = this.#read(parts)
      .filter((line) => line.startsWith('{"op":"d"'))
      .flatMap((line) => readRecord(line, { idField, rendering })?.index ?? [])
    const wrong = deleted.find((index) => present.has(nameIn(idField)(index)))
    if (wrong !== undefined)
      this.#report(
        'deletes-true',
        `the set of ${runId} deletes the document ${wrong}, which was never absent`,
      )
  }

  #checkRecords(manifest: SetManifest, expected: readonly ExpectedRecord[]): void {
    const { runId, idField } = manifest
    const { rendering } = this.#sim.scenario.platform
    const records = this.#read(manifest.parts)
    const wanted = new Map(
      expected.map((one) => [
        [
          one.op,
          one.before === undefined ? '' : lineOf(one.before, rendering),
          one.after === undefined ? '' : lineOf(one.after, rendering),
        ].join('|'),
        one,
      ]),
    )
    for (const record of records) {
      const found = isRecordOf(record, { wanted, idField })
      if (found === undefined) {
        this.#report('changes-true', `the set of ${runId} has the record ${record.slice(0, 200)}`)
        return
      }
      wanted.delete(found)
    }
    const [missing] = wanted.keys()
    if (missing !== undefined)
      this.#report('changes-true', `the set of ${runId} lacks the record ${missing.slice(0, 200)}`)
    const counts = { c: 0, u: 0, d: 0 }
    for (const { op } of expected) {
      counts[op]++
      this.#sim.count(`record: ${op}`)
    }
    if (
      manifest.kind === 'changes' &&
      (manifest.created !== counts.c || manifest.updated !== counts.u || manifest.deleted !== counts.d)
    )
      this.#report('changes-true', `the set of ${runId} counts its records wrongly`)
  }

  /** The lines (latin1) of parts. */
  #read(parts: readonly ChangePart[]): string[] {
    return parts.flatMap(({ key, records, bytes, sha256 }) => {
      const body = this.#sim.s3.objects.get(key)?.body
      const isWhole = body?.length === bytes && createHash('sha256').update(body).digest('hex') === sha256
      if (!body || !isWhole) {
        this.#report('sets-whole', `${key} is ${body ? 'not what its manifest says' : 'missing'}`)
        return []
      }
      const lines = gunzipSync(body).toString('latin1').split('\n').slice(0, -1)
      if (lines.length !== records) this.#report('sets-whole', `${key} has ${lines.length} lines`)
      return lines
    })
  }

  /** Readers that stopped after any set apply the sets since then, twice, and have the state of the tip. */
  checkReaders(entity: string): void {
    const chain = this.#chains.get(entity)
    if (!chain) return
    for (const [since, start] of this.#states.get(entity) ?? []) {
      const sets = setsSince(chain.latest, since)
      // Without sets the API tells the reader to load the snapshot.
      if (!sets) continue
      const documents = loadState(start)
      for (const { runId } of sets) this.#applyTwice(documents, { entity, runId })
      this.#compareReader(documents, { chain, since })
    }
  }

  #applyTwice(documents: ReaderDocuments, { entity, runId }: { entity: string; runId: string }): void {
    const stored = this.#sim.s3.objects.get(setManifestKey(entity, runId))
    if (!stored) {
      this.#report('sets-whole', `the set of ${runId} is listed and has no manifest`)
      return
    }
    const { parts, idField } = JSON.parse(stored.body.toString()) as SetManifest
    const { rendering } = this.#sim.scenario.platform
    const records = this.#read(parts).flatMap((line) => readRecord(line, { idField, rendering }) ?? [])
    for (const record of [...records, ...records]) upsert(documents, record)
  }

  #compareReader(documents: ReaderDocuments, { chain, since }: { chain: Chain; since: string }): void {
    const { state, latest } = chain
    const expected = documentsOf(state)
    const differing = [...expected].find(([identity, index]) => {
      const own = documents.get(identity)
      return own === undefined || !hasSameContent(own, index, state.ignore)
    })
    if (!differing && documents.size === expected.size) return
    this.#report(
      'readers-follow',
      `a reader that follows from ${since} has ${documents.size} documents at ${latest.tip}, not ` +
        `${expected.size}; the first that differs is ${differing?.[1]}`,
    )
  }
}
