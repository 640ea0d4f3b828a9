import * as v from 'valibot'
import { stopReason } from '../task/caught-error.ts'
import type { PlanName } from './plan/plan.ts'
import type { ChunkOutcome } from './result.ts'

const text = v.string()
const run = v.object({ entity: text, runId: text })
const planEntries = { entity: text, runId: text, plan: text }
const written = v.variant('status', [
  v.object({ status: v.literal('written'), name: text }),
  v.object({ status: v.literal('failed'), reason: text }),
])

/** From the state machine. */
const eventSchema = v.variant('task', [
  v.object({ task: v.literal('plan-table'), run }),
  v.object({ task: v.literal('write-chunk'), ...planEntries, chunk: v.number() }),
  v.object({ task: v.literal('commit-table'), ...planEntries, written: v.array(written) }),
  v.object({ task: v.literal('record-table-failure'), run, error: v.unknown() }),
])

export type TableTask =
  /** Directly: everything in one invocation. */
  | { readonly task: 'make-table'; readonly entity: string }
  | { readonly task: 'plan-table'; readonly entity: string }
  | { readonly task: 'write-chunk'; readonly entity: string; readonly plan: PlanName; readonly chunk: number }
  | {
      readonly task: 'commit-table'
      readonly entity: string
      readonly plan: PlanName
      readonly written: readonly ChunkOutcome[]
    }
  | {
      readonly task: 'record-table-failure'
      readonly entity: string
      readonly runId: string
      readonly reason: string
    }

/** Reads the function's event. Throws an error that describes the expected form. */
export function readTask(event: unknown): TableTask {
  const fromStateMachine = v.safeParse(eventSchema, event)
  if (!fromStateMachine.success) {
    const direct = v.safeParse(v.strictObject({ entity: text }), event)
    if (direct.success) return { task: 'make-table', entity: direct.output.entity }
    throw new Error('The input is not valid: expected {"entity": "NAME"}.')
  }
  const input = fromStateMachine.output
  switch (input.task) {
    case 'plan-table':
      return { task: input.task, entity: input.run.entity }
    case 'write-chunk':
      return { task: input.task, entity: input.entity, plan: planOf(input), chunk: input.chunk }
    case 'commit-table':
      return { task: input.task, entity: input.entity, plan: planOf(input), written: input.written }
    case 'record-table-failure':
      return { task: input.task, ...input.run, reason: stopReason('The table', input.error) }
  }
}

const planOf = ({ entity, runId, plan }: PlanName): PlanName => ({ entity, runId, plan })
