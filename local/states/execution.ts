import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { callbackResource } from '../../lib/sync/state-machine.ts'
import type {
  CallbackState,
  Catcher,
  ChoiceRule,
  ItemTask,
  MachineDefinition,
  MachineState,
  MapState,
  Retrier,
  TaskState,
} from './definition.ts'
import { type ContextObject, filled, RuntimeFailure, type StateScope, valueAt, withResult } from './paths.ts'

/** What an execution needs from outside, so that it also runs in virtual time. */
export interface ExecutionIo {
  /** Calls what a Task state names as its `Resource`. Retriers match the `name` of what it throws. */
  invoke(resource: string, payload: unknown): Promise<unknown>
  /** Resolves earlier if it is `interrupted`. */
  sleep(ms: number, interrupted?: Promise<void>): Promise<void>
  /** 0 to 1, for jitter. */
  random(): number
  /** Called with each state that is entered: AWS charges for these transitions. */
  onEnter?(state: string): void
}

export type ExecutionOutcome =
  | { readonly status: 'SUCCEEDED'; readonly output: string }
  | { readonly status: 'FAILED'; readonly error: string; readonly cause: string }
  | { readonly status: 'ABORTED' }

/** Runs a definition as Step Functions does. */
export function startExecution(definition: MachineDefinition, context: ContextObject, io: ExecutionIo) {
  const aborted = Promise.withResolvers<ExecutionOutcome>()
  const run = new ExecutionInProgress(definition, context, io)
  return {
    /** Stops calling tasks. A task that is running continues, and its result is ignored. */
    abort() {
      run.isAborted = true
      aborted.resolve({ status: 'ABORTED' })
    },
    /** Ends the task that waits for this token. False if none does. */
    sendTaskSuccess: (token: string) => run.sendTaskSuccess(token),
    /** Never rejects. */
    outcome: Promise.race([run.outcome(), aborted.promise]),
  }
}

/** Where an execution continues, or how it ended. */
type Transition = { readonly next: string; readonly data: unknown } | ExecutionOutcome

class Aborted extends Error {}

/** A callback did not come in time. */
class TimedOut extends Error {
  override readonly name = 'States.Timeout'
}

class ExecutionInProgress {
  isAborted = false
  #tokens = 0
  #callback: { readonly token: string; readonly succeed: () => void } | undefined
  readonly #definition: MachineDefinition
  readonly #context: ContextObject
  readonly #io: ExecutionIo

  constructor(definition: MachineDefinition, context: ContextObject, io: ExecutionIo) {
    this.#definition = definition
    this.#context = context
    this.#io = io
  }

  async outcome(): Promise<ExecutionOutcome> {
    let at: Transition = { next: this.#definition.StartAt, data: this.#context.Execution.Input }
    try {
      while ('next' in at) {
        if (this.isAborted) throw new Aborted()
        const state = this.#definition.States[at.next]
        if (!state) throw new RuntimeFailure(`There is no state ${at.next}`)
        this.#io.onEnter?.(at.next)
        at = await this.#enter(state, { data: at.data, context: this.#context })
      }
      return at
    } catch (error) {
      if (error instanceof Aborted) return { status: 'ABORTED' }
      const { Error: name, Cause: cause } = errorOutput(error)
      return { status: 'FAILED', error: name, cause }
    }
  }

  sendTaskSuccess(token: string): boolean {
    if (this.isAborted || this.#callback?.token !== token) return false
    this.#callback.succeed()
    this.#callback = undefined
    return true
  }

  async #enter(state: MachineState, scope: StateScope): Promise<Transition> {
    const { data } = scope
    switch (state.Type) {
      case 'Succeed':
        return { status: 'SUCCEEDED', output: JSON.stringify(data) }
      case 'Fail':
        return {
          status: 'FAILED',
          error: state.Error,
          cause: 'Cause' in state ? state.Cause : causeAt(state.CausePath, scope),
        }
      case 'Wait':
        await this.#sleep(
          1000 * ('Seconds' in state ? state.Seconds : Number(valueAt(state.SecondsPath, scope))),
        )
        return { next: state.Next, data }
      case 'Choice': {
        const rule = state.Choices.find((one) => holds(one, valueAt(one.Variable, scope)))
        return { next: rule?.Next ?? state.Default, data }
      }
      case 'Task':
        if (isCallback(state))
          return this.#caught(state, scope, () =>
            this.#retried(state, () => this.#awaitCallback(state, scope)),
          )
        return this.#caught(state, scope, () =>
          this.#invokeWithRetries(state, filled(state.Parameters, scope)),
        )
      case 'Map':
        return this.#caught(state, scope, () => this.#mapItems(state, scope))
    }
  }

  async #caught(
    state: TaskState | CallbackState | MapState,
    scope: StateScope,
    work: () => Promise<unknown>,
  ): Promise<Transition> {
    try {
      const result = await work()
      return { next: state.Next, data: withResult(scope.data, state.ResultPath, result) }
    } catch (error) {
      if (error instanceof Aborted) throw error
      const caught = errorOutput(error)
      const catcher = state.Catch.find((one) => matches(one, caught.Error))
      if (!catcher) throw error
      return { next: catcher.Next, data: withResult(scope.data, catcher.ResultPath, caught) }
    }
  }

  /** The result of each item. The first one that fails ends the map; the others are not begun, or their results ignored. */
  async #mapItems({ ItemsPath, ItemSelector, ItemProcessor, MaxConcurrency }: MapState, scope: StateScope) {
    const items = valueAt(ItemsPath, scope)
    if (!Array.isArray(items)) throw new RuntimeFailure(`There is no list at ${ItemsPath}`)
    const first = ItemProcessor.States[ItemProcessor.StartAt]
    if (!first) throw new RuntimeFailure(`There is no state ${ItemProcessor.StartAt}`)
    return mapPooled(items as readonly unknown[], MaxConcurrency, (Value) => {
      const context = { ...scope.context, Map: { Item: { Value } } }
      return this.#invokeWithRetries(first, filled(ItemSelector, { ...scope, context }))
    })
  }

  /** Each try has a token of its own. */
  async #awaitCallback({ Parameters, TimeoutSecondsPath }: CallbackState, scope: StateScope): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const token = `${scope.context.Execution.Id}#${++this.#tokens}`
    this.#callback = { token, succeed: resolve }
    const payload = filled(Parameters.Payload, {
      ...scope,
      context: { ...scope.context, Task: { Token: token } },
    })
    const waits = () => this.#callback?.token === token
    const seconds = Number(valueAt(TimeoutSecondsPath, scope))
    try {
      await this.#io.invoke(Parameters.FunctionName, payload).catch((error: unknown) => {
        // A task whose token was sent has succeeded, however its function ends.
        if (waits()) throw error
      })
      if (waits()) await this.#sleep(1000 * seconds, promise)
      if (waits()) throw new TimedOut(`No callback within ${seconds} s`)
    } finally {
      this.#callback = undefined
    }
  }

  #invokeWithRetries(state: TaskState | ItemTask, payload: unknown): Promise<unknown> {
    return this.#retried(state, () => this.#io.invoke(state.Resource, payload))
  }

  async #retried(
    state: TaskState | CallbackState | ItemTask,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    const retries = new Map<Retrier, number>()
    for (;;) {
      try {
        const result = await work()
        if (this.isAborted) throw new Aborted()
        return result
      } catch (error) {
        if (this.isAborted) throw new Aborted()
        const retrier = state.Retry.find((one) => matches(one, errorOutput(error).Error))
        const done = (retrier && retries.get(retrier)) ?? 0
        if (!retrier || done >= retrier.MaxAttempts) throw error
        retries.set(retrier, done + 1)
        await this.#sleep(retryDelayMs(retrier, done, this.#io.random()))
      }
    }
  }

  async #sleep(ms: number, interrupted?: Promise<void>): Promise<void> {
    await this.#io.sleep(ms, interrupted)
    if (this.isAborted) throw new Aborted()
  }
}

const isCallback = (state: TaskState | CallbackState): state is CallbackState =>
  state.Resource === callbackResource

/** Full jitter, the only strategy that the definition uses. */
function retryDelayMs(retrier: Retrier, retriesDone: number, random: number): number {
  const { IntervalSeconds, BackoffRate, MaxDelaySeconds } = retrier
  return 1000 * Math.min(MaxDelaySeconds, IntervalSeconds * BackoffRate ** retriesDone) * random
}

function matches({ ErrorEquals }: Retrier | Catcher, error: string): boolean {
  return ErrorEquals.includes('States.ALL') || ErrorEquals.includes(error)
}

function errorOutput(error: unknown): { readonly Error: string; readonly Cause: string } {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  return { Error: name, Cause: message }
}

function causeAt(path: string, scope: StateScope): string {
  const cause = valueAt(path, scope)
  if (typeof cause !== 'string') throw new RuntimeFailure(`There is no text at ${path}`)
  return cause
}

function holds({ Variable, StringEquals, BooleanEquals, IsPresent }: ChoiceRule, value: unknown): boolean {
  if (IsPresent !== undefined) return (value !== undefined) === IsPresent
  if (value === undefined) throw new RuntimeFailure(`There is no value at ${Variable}`)
  return value === (StringEquals ?? BooleanEquals)
}
