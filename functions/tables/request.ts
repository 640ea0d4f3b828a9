import * as v from 'valibot'
import { stopReason } from '../task/caught-error.ts'
import type { PlanName } from './plan/plan.ts'

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

export type TableTask = ReturnType<typeof readTableTask>

/** Reads the function's event. Throws an error that describes the expected form. */
export function readTableTask(event: unknown) {
  const fromStateMachine = v.safeParse(eventSchema, event)
  if (!fromStateMachine.success) {
    const direct = v.safeParse(v.strictObject({ entity: text }), event)
    // Everything in one invocation.
    if (direct.success) return { task: 'make-table' as const, entity: direct.output.entity }
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
