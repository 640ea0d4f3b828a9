import * as v from 'valibot'
import type { FullJob, IncrementJob, RepublishJob } from '../../stored/run/job.ts'
import type { AcceptedGuard, Repeat } from '../../stored/run/run.ts'
import { acceptedGuard, runIdOfExecution, runIdPattern } from '../../stored/run/run.ts'
import { limits } from '../../stored/slots/slots.ts'
import { pick } from '../runtime/pick.ts'
import { isScheduledInput } from '../runtime/settings-schema/entity-schedules.ts'
import { type CaughtError, readCaughtError } from '../task/caught-error.ts'
import { detailOf } from '../task/execution-input.ts'

/** What the worker is invoked for: a job for an entity, and who drives it. */
export type WorkerRequest = DirectRequest | DrivenRequest

/** By a person or a rule of EventBridge. */
export interface DirectRequest {
  readonly entity: string
  readonly job: ScrollJob
  readonly driver: { readonly kind: 'direct' }
}

export interface DrivenRequest {
  readonly entity: string
  readonly job: Job
  readonly driver: StateMachine
}

/** What a run does. */
export type Job = ScrollJob | AcceptJob | RepublishJob

/** `scheduled`: a schedule started it, so that a pause stops it. Absent if a person or a program did. */
type ScrollJob = (FullJob | IncrementJob) & { readonly scheduled?: true }

/** Publishes what a guard refused, as a person decided. Its run is the refused one. */
export type AcceptJob = AcceptedGuard & { readonly kind: 'accept'; readonly by: string }

export type Driver = WorkerRequest['driver']
export type StateMachine =
  | Step
  /** The state machine gave up because the steps kept failing. */
  | (Execution & { readonly kind: 'record-failure'; readonly error: CaughtError })

interface Execution {
  /** From `POST /syncs/{entity}`, or derived from the execution. */
  readonly runId: string
  readonly execution: string
  /** Absent if the run repeats none. */
  readonly repeat?: Repeat
}

/** The state machine invokes the worker until the run has ended. */
export interface Step extends Execution {
  readonly kind: 'step'
}

/** The run that the request names; undefined if the worker finds or begins one. */
export const runIdOf = ({ driver }: WorkerRequest): string | undefined =>
  driver.kind === 'direct' ? undefined : driver.runId

export const executionOf = ({ driver }: WorkerRequest): string | undefined =>
  driver.kind === 'direct' ? undefined : driver.execution

/** Whether a schedule started the job, so that a pause of its entity stops it. */
export const isScheduled = ({ job }: WorkerRequest): boolean =>
  (job.kind === 'full' || job.kind === 'increment') && job.scheduled === true

export const repeatOf = ({ driver }: WorkerRequest): Repeat | undefined =>
  driver.kind === 'direct' ? undefined : driver.repeat

const directSchema = v.strictObject({
  entity: v.string(),
  acceptShrink: v.optional(v.boolean(), false),
  increment: v.optional(v.boolean(), false),
  acceptDeletes: v.optional(v.boolean(), false),
})

const runIdSchema = v.pipe(v.string(), v.regex(runIdPattern))

const acceptanceEntries = { runId: runIdSchema, by: v.pipe(v.string(), v.nonEmpty()) }

const acceptanceSchema = v.variant('guard', [
  v.strictObject({
    ...acceptanceEntries,
    guard: v.literal('snapshot'),
    withChanges: v.optional(v.boolean(), false),
  }),
  v.strictObject({
    ...acceptanceEntries,
    guard: v.literal('changes'),
    withChanges: v.optional(v.literal(false)),
    refusedAt: v.optional(v.string()),
  }),
])

const inputSchema = v.strictObject({
  ...directSchema.entries,
  runId: v.optional(runIdSchema),
  accept: v.optional(acceptanceSchema),
  republish: v.optional(v.strictObject({ runId: runIdSchema })),
  // Read by the state machine.
  repeat: v.optional(v.boolean()),
})

/** What the step before returned, if the state machine repeats a run. */
const repeatSchema = v.object({
  repeat: v.object({ runId: runIdSchema, of: runIdSchema, after: runIdSchema }),
})

const stepSchema = v.object({
  task: v.picklist(['step', 'record-failure']),
  input: v.unknown(),
  execution: v.object({ id: v.string(), startedAt: v.union([v.string(), v.number()]) }),
  /** The result of the step before; the input of the execution before the first one. Absent from executions of 1.0.0. */
  previous: v.fallback(v.optional(repeatSchema), undefined),
  error: v.optional(v.unknown()),
})

/** The execution of a run waits for a slot, until the token is sent. */
export type SlotWait = Omit<v.InferOutput<typeof slotWaitSchema>, 'task'>

const slotWaitSchema = v.object({
  task: v.literal('await-slot'),
  slot: v.picklist(limits),
  runId: runIdSchema,
  token: v.string(),
})

export type ReadRequest =
  | { readonly kind: 'request'; readonly request: WorkerRequest }
  | { readonly kind: 'await-slot'; readonly wait: SlotWait }
  | { readonly kind: 'invalid'; readonly reason: string }

/** Reads the worker's event. */
export function readWorkerRequest(event: unknown): ReadRequest {
  const read = v.safeParse(slotWaitSchema, event)
  if (read.success) {
    const { task, ...wait } = read.output
    return { kind: task, wait }
  }
  const step = v.safeParse(stepSchema, event)
  return step.success ? readStep(step.output) : readDirect(event)
}

function readDirect(event: unknown): ReadRequest {
  const input = v.safeParse(directSchema, detailOf(event))
  if (!input.success) return invalidInput(input.issues)
  const { entity } = input.output
  return {
    kind: 'request',
    request: { entity, job: scrollJob(input.output, event), driver: { kind: 'direct' } },
  }
}

function readStep(step: v.InferOutput<typeof stepSchema>): ReadRequest {
  const { task, input: given, execution, previous, error } = step
  const input = v.safeParse(inputSchema, detailOf(given))
  if (!input.success) return invalidInput(input.issues)
  const startedAt = epochMs(execution.startedAt)
  if (startedAt === undefined)
    return { kind: 'invalid', reason: `Cannot read the start time of the execution: ${execution.startedAt}.` }
  const { entity, accept } = input.output
  const firstRunId = accept?.runId ?? input.output.runId ?? runIdOfExecution({ id: execution.id, startedAt })
  const driven = previous
    ? { runId: previous.repeat.runId, execution: execution.id, repeat: pick(previous.repeat, 'of', 'after') }
    : { runId: firstRunId, execution: execution.id }
  const driver: StateMachine =
    task === 'step'
      ? { kind: task, ...driven }
      : { kind: task, ...driven, error: readCaughtError(error) ?? { name: 'unknown', cause: '' } }
  return { kind: 'request', request: { entity, job: jobOf(input.output, given), driver } }
}

function jobOf(input: v.InferOutput<typeof inputSchema>, given: unknown): Job {
  const { accept, republish, acceptShrink, acceptDeletes } = input
  if (accept) return { kind: 'accept', ...acceptedGuard(accept.guard, accept), by: accept.by }
  if (republish) return { kind: 'republish', from: republish.runId, acceptShrink, acceptDeletes }
  return scrollJob(input, given)
}

function scrollJob(
  { increment, acceptShrink, acceptDeletes }: v.InferOutput<typeof directSchema>,
  given: unknown,
): ScrollJob {
  const start = isScheduledInput(given) ? ({ scheduled: true } as const) : {}
  return increment ? { kind: 'increment', ...start } : { kind: 'full', acceptShrink, acceptDeletes, ...start }
}

function invalidInput(issues: readonly v.BaseIssue<unknown>[]): ReadRequest {
  const where = issues.map((issue) => v.getDotPath(issue) ?? 'the input').join(', ')
  const reason =
    `The input is not valid (${where}). Expected {"entity": "NAME"}, ` +
    'with "increment": true to ask only for what changed, "acceptShrink": true to publish despite the shrink guard, ' +
    '"acceptDeletes": true to accept deletes, ' +
    '"accept": {"runId", "guard": "snapshot" or "changes", "by"} to publish what a guard refused, ' +
    'for a snapshot with "withChanges": true to publish its change set too, or ' +
    '"republish": {"runId"} to publish an older snapshot again.'
  return { kind: 'invalid', reason }
}

/** Step Functions sends ISO 8601. Some emulators send a number, in seconds or milliseconds. */
function epochMs(time: string | number): number | undefined {
  if (typeof time === 'number') return time < 1e11 ? Math.round(time * 1000) : time
  const parsed = Date.parse(time)
  return Number.isNaN(parsed) ? undefined : parsed
}
