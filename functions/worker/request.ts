import * as v from 'valibot'
import { runIdPattern } from '../state/run.ts'

/** What the worker is called with: a step of the state machine, its failure handler, or a person or schedule. */
export interface SyncRequest {
  readonly task: 'step' | 'record-failure'
  readonly entity: string
  readonly acceptShrink: boolean
  /** The id that `POST /syncs/{entity}` promised its caller. */
  readonly runId: string | undefined
  /** Absent when the function is called directly. */
  readonly execution: { readonly id: string; readonly startedAt: number } | undefined
  /** With `record-failure`: what the state machine caught. */
  readonly error: unknown
}

const inputSchema = v.strictObject({
  entity: v.string(),
  acceptShrink: v.optional(v.boolean(), false),
  // Read by the comparison, which has the same input.
  acceptDeletes: v.optional(v.boolean(), false),
  runId: v.optional(v.pipe(v.string(), v.regex(runIdPattern))),
})

const stepSchema = v.object({
  task: v.picklist(['step', 'record-failure']),
  input: v.unknown(),
  execution: v.object({ id: v.string(), startedAt: v.union([v.string(), v.number()]) }),
  error: v.optional(v.unknown()),
})

export type ReadRequest = { readonly request: SyncRequest } | { readonly mistake: string }

/** Reads the worker's event. A mistake says what would be right. */
export function readRequest(event: unknown): ReadRequest {
  const step = v.safeParse(stepSchema, event)
  const input = v.safeParse(inputSchema, withoutEventFields(step.success ? step.output.input : event))
  if (!input.success) {
    const where = input.issues.map((issue) => v.getDotPath(issue) ?? 'the input').join(', ')
    return {
      mistake:
        `The input is not valid (${where}): expected {"entity": "NAME"}, ` +
        'with "acceptShrink": true to publish in spite of the shrink guard.',
    }
  }
  const { entity, acceptShrink, runId } = input.output
  if (!step.success) {
    return { request: { task: 'step', entity, acceptShrink, runId, execution: undefined, error: undefined } }
  }
  const { task, execution, error } = step.output
  const startedAt = epochMs(execution.startedAt)
  if (startedAt === undefined) return { mistake: 'The start time of the execution cannot be read.' }
  return {
    request: {
      task,
      entity,
      acceptShrink,
      runId,
      execution: { id: execution.id, startedAt },
      error,
    },
  }
}

/** Step Functions gives a start time as ISO 8601; some of its stand-ins as a number, in seconds or milliseconds. */
function epochMs(time: string | number): number | undefined {
  if (typeof time === 'number') return time < 1e11 ? Math.round(time * 1000) : time
  const parsed = Date.parse(time)
  return Number.isNaN(parsed) ? undefined : parsed
}

/** A rule of EventBridge that targets the function sends a whole event around its detail. */
function withoutEventFields(input: unknown): unknown {
  const isEvent = typeof input === 'object' && input !== null && 'detail-type' in input && 'detail' in input
  return isEvent ? input.detail : input
}
