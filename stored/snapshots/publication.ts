import type { RangeProof } from '../run/range.ts'
import type { FailureCause, GuardDecision, RunResult } from '../run/run.ts'
import type { Latest, Manifest } from './manifest.ts'

/** The publisher, as the worker invokes it. */
export interface SnapshotPublisher {
  /** Waits for at most `maxMs`; then the check continues without this caller, and the next one finds how far it is. */
  readonly checkRange: (request: RangeCheckRequest, maxMs: number) => Promise<CheckResult<RangeProof> | Busy>
  readonly checkRun: (request: CheckRequest, maxMs: number) => Promise<CheckResult<RunResult> | Busy>
  readonly publish: (request: CheckRequest) => Promise<PublishResult | Busy>
}

/** Lambda runs too many functions to invoke the publisher. */
export interface Busy {
  readonly kind: 'busy'
}

export interface CheckRequest {
  readonly entity: string
  readonly runId: string
}

export interface RangeCheckRequest extends CheckRequest {
  readonly range: number
}

/** Stored objects are not what was committed, or cannot be read. The reason says what to do. */
export interface DamagedSnapshot {
  readonly kind: 'damaged'
  readonly reason: string
  readonly cause?: FailureCause | undefined
}

/** What a check of a range or a run returns. `reason` names the object and both numbers. */
export type CheckResult<Found> =
  /** The next invocation continues. */
  | { readonly kind: 'checking'; readonly pages: number }
  | DamagedSnapshot
  | {
      readonly kind: 'unproven'
      readonly reason: string
      readonly uniqueIds: number
      readonly suspect: boolean
    }
  /** Of a run, `evidence.json` is stored. */
  | { readonly kind: 'proven'; readonly found: Found }

export type PublishResult =
  | {
      readonly kind: 'published'
      readonly latest: Latest
      readonly manifest: Pick<Manifest, 'documents' | 'uniqueIds' | 'proof' | 'withoutId' | 'idField'>
      /** Undefined if the guards were not asked: a person accepted the run, or it has moved `latest.json` before. */
      readonly guarded: GuardDecision | undefined
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly guarded: GuardDecision }
  | DamagedSnapshot
  /** A newer run has published. */
  | { readonly kind: 'superseded'; readonly by: string }
  /** Nobody has checked the run. */
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'not-publishing'; readonly reason: string }
