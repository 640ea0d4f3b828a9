import type { Run, RunStatus } from '../state/run.ts'

/** What the state machine decides by, and what a person sees who calls the function. */
export interface StepResponse {
  readonly status: RunStatus
  readonly entity: string
  readonly runId: string | null
  readonly reason?: string
  /** With `waiting`: call again after so many seconds. */
  readonly waitSeconds?: number
  readonly attempt?: number
  readonly suspect?: boolean
  readonly pages?: number
  readonly documents?: number
  readonly total?: number
  readonly proof?: string
  readonly manifest?: string
}

/** What a run's item says. */
export function responseOf(run: Run): StepResponse {
  const { status, entity, runId, attempt, suspect, reason, pages, documents, total, proof, manifest } = run
  return {
    status,
    entity,
    runId,
    attempt,
    suspect,
    ...(reason !== undefined && { reason }),
    ...(pages !== undefined && { pages }),
    ...(documents !== undefined && { documents }),
    ...(total !== undefined && { total }),
    ...(proof !== undefined && { proof }),
    ...(manifest !== undefined && { manifest }),
  }
}
