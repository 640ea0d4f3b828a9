/** A part of a run. Times are ISO 8601 in UTC. */
export interface Phase {
  readonly name: string
  /** `stopped`: the run ended here without publishing. `refused`: a guard stopped it here. */
  readonly state: 'done' | 'now' | 'stopped' | 'refused'
  readonly from: string
  /** Null if it is not known, or for a step that takes no time. Until now for the phase that is in progress. */
  readonly durationMs: number | null
  readonly detail: string
  /** Of the guards. */
  readonly checks: readonly Check[]
}

/** What one guard decided. */
export interface Check {
  readonly name: string
  readonly state: 'passed' | 'refused' | 'not reached'
  readonly detail: string
}

/** A phase by its times. `to` is null if its end is not known, or if it has not ended. */
export interface Span extends Pick<Phase, 'name' | 'state' | 'from' | 'detail'> {
  readonly to: string | null
  readonly checks?: readonly Check[]
}

export function phaseOf({ to, checks = [], ...span }: Span, now: number): Phase {
  const end = span.state === 'now' ? now : Date.parse(to ?? '')
  const durationMs = Number.isNaN(end) ? null : Math.max(0, end - Date.parse(span.from))
  return { ...span, checks, durationMs }
}
