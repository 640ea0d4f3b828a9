import type { LogRow, RunResponse, SpeedResponse } from '../../contract/run.ts'

/** `refused`: a guard stopped the run here. */
export type PhaseState = 'done' | 'now' | 'stopped' | 'refused'

/** What one guard decided. */
export interface Check {
  readonly name: string
  readonly state: 'passed' | 'refused' | 'not reached'
  readonly detail: string
}

/** A phase with its times. */
export interface Span {
  readonly name: string
  readonly state: PhaseState
  readonly from: string
  /** Null if its end is not known, or if it has not ended. */
  readonly to: string | null
  readonly detail: string
  /** Of the guards. */
  readonly checks?: readonly Check[]
}

export interface PhaseSources {
  readonly response: RunResponse
  /** Undefined until they are read. */
  readonly speed: SpeedResponse | undefined
  readonly lines: readonly LogRow[]
}
