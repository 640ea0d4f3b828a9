import { setManifestKey } from '../../../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../../stored/changes/changes-latest.ts'
import { setsSince } from '../../../../stored/changes/sets-since.ts'
import { hasSameContent } from '../../platform/document-versions.ts'
import type { Surroundings } from '../../surroundings.ts'
import type { Report } from '../invariants.ts'
import { type ChainState, documentsOf } from './chain-state.ts'
import type { SetParts } from './set-parts.ts'
import { loadState, type ReaderDocuments, readRecord, upsert } from './set-reader.ts'

/** A published chain: its `latest.json`, and the state and the manifest of its last set. */
export interface Chain {
  readonly latest: ChangesLatest
  readonly state: ChainState
  readonly manifest: SetManifest
}

/** Checks that readers of a chain have the state of its tip. */
export class ReaderCheck {
  readonly #sim: Surroundings
  readonly #report: Report
  readonly #parts: SetParts

  constructor(sim: Surroundings, report: Report, parts: SetParts) {
    this.#sim = sim
    this.#report = report
    this.#parts = parts
  }

  /** Readers that stopped after any set apply the sets since then, twice, and have the state of the tip. */
  check(entity: string, chain: Chain, states: ReadonlyMap<string, ChainState>): void {
    for (const [since, start] of states) {
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
    const records = this.#parts.read(parts).flatMap((line) => readRecord(line, { idField, rendering }) ?? [])
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
