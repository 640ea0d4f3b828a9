import * as v from 'valibot'
import { callbackResource } from '../../lib/sync/state-machine.ts'

const errors = v.array(v.string())
const retrier = v.strictObject({
  ErrorEquals: errors,
  IntervalSeconds: v.number(),
  BackoffRate: v.number(),
  MaxDelaySeconds: v.number(),
  MaxAttempts: v.number(),
  JitterStrategy: v.literal('FULL'),
})
const catcher = v.strictObject({ ErrorEquals: errors, ResultPath: v.nullable(v.string()), Next: v.string() })
/** What a task is invoked with: fields that end with `.$` are paths. */
const template = v.record(v.string(), v.union([v.string(), v.record(v.string(), v.string())]))
const taskEntries = {
  Type: v.literal('Task'),
  Resource: v.custom<string>((name) => typeof name === 'string' && name !== callbackResource),
  // Time limits, except of callbacks, are left to the caller: a function has its own, and an execution gives up within its budgets.
  TimeoutSeconds: v.number(),
  Retry: v.array(retrier),
}
const task = v.strictObject({
  ...taskEntries,
  Parameters: template,
  ResultPath: v.exactOptional(v.nullable(v.string())),
  Catch: v.array(catcher),
  Next: v.string(),
})
/** Invokes a function, then waits until the token is sent that it was given. */
const { TimeoutSeconds: _, ...callbackEntries } = taskEntries
const callback = v.strictObject({
  ...callbackEntries,
  TimeoutSecondsPath: v.string(),
  Resource: v.literal(callbackResource),
  Parameters: v.strictObject({ FunctionName: v.string(), Payload: template }),
  ResultPath: v.null(),
  Catch: v.array(catcher),
  Next: v.string(),
})
/** A state of a map, which is invoked with its item as it is. */
const itemTask = v.strictObject({ ...taskEntries, End: v.literal(true) })
const map = v.strictObject({
  Type: v.literal('Map'),
  ItemsPath: v.string(),
  MaxConcurrency: v.number(),
  ItemSelector: template,
  ItemProcessor: v.strictObject({
    ProcessorConfig: v.strictObject({ Mode: v.literal('INLINE') }),
    StartAt: v.string(),
    States: v.record(v.string(), itemTask),
  }),
  ResultPath: v.string(),
  Catch: v.array(catcher),
  Next: v.string(),
})
const rule = v.strictObject({
  Variable: v.string(),
  StringEquals: v.exactOptional(v.string()),
  BooleanEquals: v.exactOptional(v.boolean()),
  IsPresent: v.exactOptional(v.boolean()),
  Next: v.string(),
})
const state = v.variant('Type', [
  task,
  callback,
  map,
  v.strictObject({ Type: v.literal('Choice'), Choices: v.array(rule), Default: v.string() }),
  v.strictObject({ Type: v.literal('Wait'), Seconds: v.number(), Next: v.string() }),
  v.strictObject({ Type: v.literal('Wait'), SecondsPath: v.string(), Next: v.string() }),
  v.strictObject({ Type: v.literal('Succeed') }),
  v.strictObject({ Type: v.literal('Fail'), Error: v.string(), Cause: v.string() }),
  v.strictObject({ Type: v.literal('Fail'), Error: v.string(), CausePath: v.string() }),
])
const definition = v.strictObject({
  Comment: v.string(),
  StartAt: v.string(),
  TimeoutSeconds: v.number(),
  States: v.record(v.string(), state),
})

export type MachineDefinition = v.InferOutput<typeof definition>
export type MachineState = v.InferOutput<typeof state>
export type TaskState = v.InferOutput<typeof task>
export type CallbackState = v.InferOutput<typeof callback>
export type ItemTask = v.InferOutput<typeof itemTask>
export type MapState = v.InferOutput<typeof map>
export type Retrier = v.InferOutput<typeof retrier>
export type Catcher = v.InferOutput<typeof catcher>
export type ChoiceRule = v.InferOutput<typeof rule>

/** Reads the part of the States Language (JSONPath) that our definition uses, and throws at anything else. */
export function readDefinition(value: unknown): MachineDefinition {
  return v.parse(definition, value)
}
