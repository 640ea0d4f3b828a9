/**
 * The part of the Amazon States Language (JSONPath) that Longshore's definition uses. Anything else is refused
 * before an execution starts, so that a definition never runs differently here than on AWS.
 */
export interface Definition {
  readonly StartAt: string
  readonly States: Readonly<Record<string, State>>
}

export type State = Task | Choice | Wait | Pass | Succeed | Fail

export interface Task {
  readonly Type: 'Task'
  readonly Resource: string
  readonly Parameters?: unknown
  readonly ResultPath?: string | null
  readonly Retry?: readonly Retrier[]
  readonly Catch?: readonly Catcher[]
  readonly Next: string
}

export interface Retrier {
  readonly ErrorEquals: readonly string[]
  readonly IntervalSeconds: number
  readonly BackoffRate: number
  readonly MaxDelaySeconds: number
  readonly MaxAttempts: number
  readonly JitterStrategy?: 'FULL'
}

export interface Catcher {
  readonly ErrorEquals: readonly string[]
  readonly ResultPath?: string | null
  readonly Next: string
}

export interface Choice {
  readonly Type: 'Choice'
  readonly Choices: readonly Rule[]
  readonly Default: string
}

/** One comparison. */
export interface Rule {
  readonly Variable: string
  readonly StringEquals?: string
  readonly BooleanEquals?: boolean
  readonly IsPresent?: boolean
  readonly Next: string
}

export interface Wait {
  readonly Type: 'Wait'
  readonly Seconds?: number
  readonly SecondsPath?: string
  readonly Next: string
}

export interface Pass {
  readonly Type: 'Pass'
  readonly Result?: unknown
  readonly Parameters?: unknown
  readonly ResultPath?: string | null
  readonly Next: string
}

export interface Succeed {
  readonly Type: 'Succeed'
}

export interface Fail {
  readonly Type: 'Fail'
  readonly Error?: string
  readonly Cause?: string
  readonly CausePath?: string
}

/** Time limits are left to the caller: a function has its own, and an execution gives up within its budgets. */
const fields: Readonly<Record<State['Type'], readonly string[]>> = {
  Task: ['Resource', 'Parameters', 'ResultPath', 'Retry', 'Catch', 'Next', 'TimeoutSeconds'],
  Choice: ['Choices', 'Default'],
  Wait: ['Seconds', 'SecondsPath', 'Next'],
  Pass: ['Result', 'Parameters', 'ResultPath', 'Next'],
  Succeed: [],
  Fail: ['Error', 'Cause', 'CausePath'],
}
const ruleFields = ['Variable', 'StringEquals', 'BooleanEquals', 'IsPresent', 'Next']
const retrierFields = [
  'ErrorEquals',
  'IntervalSeconds',
  'BackoffRate',
  'MaxDelaySeconds',
  'MaxAttempts',
  'JitterStrategy',
]

/** Throws if the definition is inconsistent or uses what the interpreter does not support. */
export function readDefinition(value: unknown): Definition {
  const definition = value as Definition
  const names = Object.keys(definition.States)
  const problems = nextStates({ Next: definition.StartAt }, names)
  for (const [name, state] of Object.entries(definition.States)) {
    const known = fields[state.Type] as readonly string[] | undefined
    if (!known) problems.push(`${name}: type ${state.Type}`)
    else
      problems.push(...unknownFields(state, ['Type', 'Comment', ...known]).map((field) => `${name}.${field}`))
    const rules = state.Type === 'Choice' ? state.Choices : []
    const retriers = state.Type === 'Task' ? (state.Retry ?? []) : []
    const catchers = state.Type === 'Task' ? (state.Catch ?? []) : []
    const targets = [
      state,
      ...rules,
      ...catchers,
      ...(state.Type === 'Choice' ? [{ Next: state.Default }] : []),
    ]
    problems.push(
      ...rules.flatMap((rule) => unknownFields(rule, ruleFields)),
      ...retriers.flatMap((retrier) => unknownFields(retrier, retrierFields)),
      ...targets.flatMap((target) => nextStates(target, names)),
    )
  }
  if (problems.length > 0) throw new Error(`The definition is not supported: ${problems.join(', ')}`)
  return definition
}

function unknownFields(value: object, known: readonly string[]): string[] {
  return Object.keys(value).filter((field) => !known.includes(field))
}

function nextStates(value: object, names: readonly string[]): string[] {
  if (!('Next' in value) || names.includes(String(value.Next))) return []
  return [`no state ${String(value.Next)}`]
}
