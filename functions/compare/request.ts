import * as v from 'valibot'
import { stopReason } from '../task/caught-error.ts'
import { detailOf } from '../task/execution-input.ts'
import type { CompareRequest } from './context.ts'

const inputSchema = v.object({
  entity: v.string(),
  runId: v.optional(v.string()),
  acceptDeletes: v.optional(v.boolean(), false),
})

/** The worker has validated the input of the execution and returned the run. */
const executionEntries = {
  input: v.pipe(
    v.unknown(),
    v.transform(detailOf),
    v.object({
      acceptDeletes: v.fallback(v.boolean(), false),
      accept: v.fallback(
        v.optional(
          v.object({
            guard: v.string(),
            by: v.string(),
            withChanges: v.optional(v.boolean(), false),
            refusedAt: v.optional(v.string()),
          }),
        ),
        undefined,
      ),
    }),
  ),
  run: v.object({ entity: v.string(), runId: v.string() }),
}

/** From the state machine. */
const eventSchema = v.variant('task', [
  v.object({ task: v.literal('compare'), ...executionEntries }),
  v.object({ task: v.literal('record-failure'), ...executionEntries, error: v.unknown() }),
])

/** What the function is invoked with: a comparison, or what the state machine caught from one. */
export type CompareTask =
  | { readonly task: 'compare'; readonly request: CompareRequest }
  | { readonly task: 'record-failure'; readonly request: CompareRequest; readonly reason: string }

/** Reads the function's event. Throws an error that describes the expected form. */
export function readCompareTask(event: unknown): CompareTask {
  const fromStateMachine = v.safeParse(eventSchema, event)
  if (fromStateMachine.success) {
    const { input, run, ...task } = fromStateMachine.output
    const { entity, runId } = run
    const { acceptDeletes, accept } = input
    // After a snapshot that was accepted alone, the comparison is like any other.
    const ofSnapshot = accept?.withChanges ? ('snapshot' as const) : undefined
    const reviewed = accept?.guard === 'changes' ? ('set' as const) : ofSnapshot
    const acceptance = accept && reviewed && { reviewed, runId, by: accept.by, refusedAt: accept.refusedAt }
    const request = { entity, runId, acceptDeletes, acceptance }
    return task.task === 'compare'
      ? { task: 'compare', request }
      : { task: 'record-failure', request, reason: stopReason('The comparison', task.error) }
  }
  const input = v.safeParse(inputSchema, event)
  if (input.success) {
    const { entity, runId, acceptDeletes } = input.output
    return { task: 'compare', request: { entity, runId, acceptDeletes } }
  }
  throw new Error(
    'The input is not valid: expected {"entity": "NAME"}, with "acceptDeletes": true to accept deletes.',
  )
}
