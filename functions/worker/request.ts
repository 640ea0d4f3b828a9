import * as v from 'valibot'
import { detailOf } from '../state/execution-input.ts'
import { guards, runIdOfExecution, runIdPattern } from '../state/run/run.ts'

/** What the worker is invoked for. */
export type WorkerRequest = SyncRequest | AcceptRequest

/** A person accepted what a guard refused, and this execution publishes it. */
export interface AcceptRequest extends Acceptance {
  readonly kind: 'accept'
  readonly entity: string
  readonly execution: string
}

/** The run whose snapshot or change set was refused, and who accepts it. */
export type Acceptance = v.InferOutput<typeof acceptanceSchema>

export type SyncRequest =
  /** Without the state machine: by a person or a rule of EventBridge. */
  | DirectRequest
  | StepRequest
  /** The state machine gave up because the steps kept failing. */
  | FailureRequest

export interface DirectRequest {
  readonly kind: 'direct'
  readonly entity: string
  /** Whether to ask for what changed, in place of a full sync. */
  readonly increment?: boolean
  readonly acceptShrink: boolean
}

export interface StepRequest {
  readonly kind: 'step'
  readonly entity: string
  /** Whether to ask for what changed, in place of a full sync. */
  readonly increment?: boolean
  readonly acceptShrink: boolean
  /** From `POST /syncs/{entity}`, or derived from the execution. */
  readonly runId: string
  readonly execution: string
  /** The run whose snapshot is published again; absent from a request that scrolls. */
  readonly republishedFrom?: string | undefined
}

export interface FailureRequest extends Omit<StepRequest, 'kind'> {
  readonly kind: 'record-failure'
  /** The error that the state machine caught, and its cause. */
  readonly error: { readonly name: string; readonly cause: string }
}

const directSchema = v.strictObject({
  entity: v.string(),
  acceptShrink: v.optional(v.boolean(), false),
  increment: v.optional(v.boolean(), false),
  // Read by the comparison, which has the same input.
  acceptDeletes: v.optional(v.boolean(), false),
})

const runIdSchema = v.pipe(v.string(), v.regex(runIdPattern))

const acceptanceSchema = v.strictObject({
  runId: runIdSchema,
  guard: v.picklist(guards),
  by: v.pipe(v.string(), v.nonEmpty()),
})

const inputSchema = v.strictObject({
  ...directSchema.entries,
  runId: v.optional(runIdSchema),
  accept: v.optional(acceptanceSchema),
  republish: v.optional(v.strictObject({ runId: runIdSchema })),
})

const stepSchema = v.object({
  task: v.picklist(['step', 'record-failure']),
  input: v.unknown(),
  execution: v.object({ id: v.string(), startedAt: v.union([v.string(), v.number()]) }),
  error: v.optional(v.unknown()),
})

export type ReadRequest =
  | { readonly kind: 'request'; readonly request: WorkerRequest }
  | { readonly kind: 'invalid'; readonly reason: string }

/** Reads the worker's event. */
export function readRequest(event: unknown): ReadRequest {
  const step = v.safeParse(stepSchema, event)
  return step.success ? readStep(step.output) : readDirect(event)
}

function readDirect(event: unknown): ReadRequest {
  const input = v.safeParse(directSchema, detailOf(event))
  if (!input.success) return invalidInput(input.issues)
  const { entity, acceptShrink, increment } = input.output
  return {
    kind: 'request',
    request: { kind: 'direct', entity, acceptShrink, ...(increment && { increment }) },
  }
}

function readStep({ task, input: given, execution, error }: v.InferOutput<typeof stepSchema>): ReadRequest {
  const input = v.safeParse(inputSchema, detailOf(given))
  if (!input.success) return invalidInput(input.issues)
  const startedAt = epochMs(execution.startedAt)
  if (startedAt === undefined) {
    return {
      kind: 'invalid',
      reason: `Cannot read the start time of the execution: ${execution.startedAt}.`,
    }
  }
  const { entity, acceptShrink, increment, accept, republish } = input.output
  const runId = accept?.runId ?? input.output.runId ?? runIdOfExecution({ id: execution.id, startedAt })
  const run = {
    entity,
    acceptShrink,
    ...(increment && { increment }),
    runId,
    execution: execution.id,
    republishedFrom: republish?.runId,
  }
  if (task === 'step' && accept)
    return { kind: 'request', request: { kind: 'accept', entity, execution: execution.id, ...accept } }
  if (task === 'step') return { kind: 'request', request: { kind: 'step', ...run } }
  return { kind: 'request', request: { kind: 'record-failure', ...run, error: caughtError(error) } }
}

function invalidInput(issues: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): ReadRequest {
  const where = issues.map((issue) => v.getDotPath(issue) ?? 'the input').join(', ')
  const reason =
    `The input is not valid (${where}). Expected {"entity": "NAME"}, ` +
    'with "increment": true to ask only for what changed, "acceptShrink": true to publish despite the shrink guard, ' +
    '"acceptDeletes": true to accept deletes, ' +
    '"accept": {"runId", "guard": "snapshot" or "changes", "by"} to publish what a guard refused, or ' +
    '"republish": {"runId"} to publish an older snapshot again.'
  return { kind: 'invalid', reason }
}

function caughtError(error: unknown): FailureRequest['error'] {
  const caught = v.safeParse(v.object({ Error: v.string(), Cause: v.optional(v.string(), '') }), error)
  return caught.success
    ? { name: caught.output.Error, cause: caught.output.Cause }
    : { name: 'unknown', cause: '' }
}

/** Step Functions sends ISO 8601. Some emulators send a number, in seconds or milliseconds. */
function epochMs(time: string | number): number | undefined {
  if (typeof time === 'number') return time < 1e11 ? Math.round(time * 1000) : time
  const parsed = Date.parse(time)
  return Number.isNaN(parsed) ? undefined : parsed
}
