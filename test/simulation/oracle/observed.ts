import { hasEnded, type Run } from '../../../stored/run/run.ts'
import type { Latest } from '../../../stored/snapshots/manifest.ts'
import type { Invocation } from '../functions/invocation.ts'
import type { SimulatedPlatform } from '../platform/platform-model.ts'
import type { Surroundings } from '../surroundings.ts'
import type { ComparedPublication } from './changes/chain-state.ts'
import { ChangeOracle } from './changes/change-oracle.ts'
import type { Invariant, Violation } from './invariants.ts'

export interface Publication extends ComparedPublication {
  readonly latest: Latest
  /** The run from whose snapshot the next comparison starts. */
  readonly tip: string | undefined
}

/** What the oracle reports about a chain, and what it needs to know about it. */
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
export type Knowing = { readonly platform: SimulatedPlatform } | { readonly changes: ChainObserver }

/** What all checks of the oracle know: the stores, what was written to them, and who acts. */
export class Observed {
  readonly sim: Surroundings
  readonly violations: Violation[] = []
  readonly changes: ChainObserver
  /** Undefined if the documents are not those of its pool. */
  readonly platform: SimulatedPlatform | undefined
  readonly names: readonly string[]
  readonly clocksJump: boolean
  /** Maximum error of a worker's clock. */
  readonly maxSkewMs: number
  /** The publications of each entity. */
  readonly history = new Map<string, Publication[]>()
  /** The last state of each run, whose item may have expired since. */
  readonly lastWritten = new Map<string, Run>()
  /** What the publisher has found damaged. */
  readonly damages = new Set<string>()
  /** The invocation whose call takes effect now. */
  acting: Invocation | undefined

  constructor(sim: Surroundings, knowing: Knowing) {
    this.sim = sim
    this.platform = 'platform' in knowing ? knowing.platform : undefined
    const { workers, entities } = sim.scenario
    this.names = entities.map(({ name }) => name)
    this.clocksJump = workers.clockJump > 0
    this.maxSkewMs = this.clocksJump ? Number.POSITIVE_INFINITY : workers.skewMs
    this.changes =
      'changes' in knowing
        ? knowing.changes
        : new ChangeOracle(sim, {
            published: (entity) => this.published(entity),
            report: (invariant, detail) => this.violation(invariant, detail),
            acting: () => this.acting,
          })
  }

  violation(invariant: Invariant, detail: string): void {
    if (!this.sim.heeds(invariant)) return
    this.sim.trace(() => `VIOLATION ${invariant}: ${detail}`)
    this.violations.push({ invariant, detail })
  }

  runs(entity: string): Run[] {
    return this.sim.dynamodb.items<Run>(`entity#${entity}`).filter(({ sk }) => sk.startsWith('run#'))
  }

  /** A full sync or an increment. */
  run(runId: string): Run | undefined {
    return this.names
      .flatMap((name) => this.sim.dynamodb.items<Run>(`entity#${name}`))
      .find((item) => item.runId === runId)
  }

  published(entity: string): readonly Publication[] {
    return this.history.get(entity) ?? []
  }

  hasPublished(entity: string, runId: string): boolean {
    return this.published(entity).some(({ latest }) => latest.runId === runId)
  }

  runHasEnded(runId: string): boolean {
    const run = this.run(runId)
    return run !== undefined && hasEnded(run)
  }

  timeIsOdd(invocation: Invocation): boolean {
    return invocation.wasFrozen || this.clocksJump
  }
}
