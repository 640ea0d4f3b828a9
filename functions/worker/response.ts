import type { DeliveredIncrement, EndedIncrement, IncrementResult } from '../../stored/run/increment-run.ts'
import { reasonWithStep } from '../../stored/run/reason.ts'
import type { EndedRun, PublishedRun, Repeat, Run, UnpublishedRun } from '../../stored/run/run.ts'
import { highestAttempt, isSuspect } from '../../stored/run/run.ts'
import type { Limit } from '../../stored/slots/slots.ts'

/** The worker's result, for the state machine and for people who invoke the function directly. */
export type StepResponse =
  /** Invoke the worker again at once. */
  | (NamedRun & { readonly status: 'running'; readonly repeat?: RepeatRun })
  | WaitingResponse
  | (EndSummary & Pick<PublishedRun, 'status' | 'proof' | 'manifest'>)
  | IncrementResponse
  | UnpublishedResponse
  /** Only the comparison of the run has something to do. */
  | (NamedRun & { readonly status: 'published' })
  | NoRunResponse

type NamedRun = Pick<Run, 'entity' | 'runId'>

type RepeatRun = Repeat & Pick<Run, 'runId'>

/** An increment has succeeded. No comparison follows. */
export type IncrementResponse = IncrementResult &
  Pick<DeliveredIncrement, 'status' | 'kind' | 'entity' | 'runId' | 'proof' | 'manifest'>

interface Explained {
  readonly entity: string
  readonly runId: string | null
  readonly reason: string
}

/** Invoke the worker again after `waitSeconds`. */
export interface WaitingResponse extends Explained {
  readonly status: 'waiting'
  readonly waitSeconds: number
  /** The run waits for a slot of this limit, until it is woken. */
  readonly slot?: Limit
  /** How long it waits for that at most. */
  readonly slotSeconds?: number
  readonly repeat?: RepeatRun
}

/** The request names no run that this worker could work on. */
export interface NoRunResponse extends Explained {
  readonly status: 'failed' | 'skipped'
  readonly withoutRun: true
}

interface EndSummary extends Pick<EndedRun, 'entity' | 'runId' | 'pages' | 'documents'> {
  readonly attempt: number
  readonly suspect: boolean
  readonly total: number | null
}

export interface UnpublishedResponse extends EndSummary, Pick<UnpublishedRun, 'status' | 'reason'> {
  readonly withoutRun?: never
  /** It is repeated after `waitSeconds` if a schedule started its execution. */
  readonly repeat?: RepeatRun & Pick<WaitingResponse, 'waitSeconds'>
}

/** How long a worker waits for another one that has the run. */
export const retryMs = 15_000

/** No run that this worker could work on has failed, or is skipped. */
export const noRunResponse = (status: NoRunResponse['status'], named: Explained): NoRunResponse => ({
  status,
  withoutRun: true,
  ...named,
})

export function waitingResponse(
  { entity, runId }: Pick<WaitingResponse, 'entity' | 'runId'>,
  { reason, waitMs }: { reason: string; waitMs: number },
): WaitingResponse {
  return { status: 'waiting', entity, runId, reason, waitSeconds: Math.ceil(waitMs / 1000) }
}

export function endResponse(run: EndedRun | EndedIncrement): StepResponse {
  const { entity, runId, pages, documents, total = null } = run
  if (run.status === 'published' && run.kind === 'increment') {
    const { status, proof, manifest, increment } = run
    return { status, kind: 'increment', entity, runId, proof, manifest, ...increment }
  }
  const attempt = highestAttempt(run)
  const summary = { entity, runId, attempt, suspect: isSuspect(run), pages, documents, total }
  return run.status === 'published'
    ? { status: run.status, ...summary, proof: run.proof, manifest: run.manifest }
    : { status: run.status, ...summary, reason: reasonWithStep(run) }
}
