import { syncLoop } from '../../lib/sync-loop.ts'
import type { Simulation } from './simulation.ts'
import { type Invoked, invokeWorker } from './worker.ts'

export interface Execution {
  readonly id: string
  readonly startedAt: number
  readonly entity: string
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED'
  /** What the worker answered last. */
  last: Record<string, unknown> | undefined
  endedAt: number | undefined
  /** The worker went on failing until the state machine gave up. */
  crashed: boolean
  /** Step Functions stops calling; an invocation under way goes on. */
  abort(): void
}

/** The parts of the Amazon States Language that the definition uses. */
interface State {
  readonly Type: string
  readonly Next?: string
  readonly Parameters?: { readonly task: string }
  readonly Retry?: readonly Retrier[]
  readonly Catch?: readonly { readonly ResultPath: string | null; readonly Next: string }[]
  readonly ResultPath?: null
  readonly Choices?: readonly { readonly StringEquals: string; readonly Next: string }[]
  readonly Default?: string
  readonly Seconds?: number
  readonly SecondsPath?: string
}

interface Retrier {
  readonly ErrorEquals: readonly string[]
  readonly IntervalSeconds: number
  readonly BackoffRate: number
  readonly MaxDelaySeconds: number
  readonly MaxAttempts: number
}

const states = syncLoop.States as unknown as Readonly<Record<string, State>>

/** Runs the very definition that is deployed, with the worker as its task. */
export function startExecution(
  sim: Simulation,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Execution {
  const { scheduler } = sim
  const execution: Execution = {
    id: `arn:aws:states:eu-west-1:111122223333:execution:Sync:${name}`,
    startedAt: scheduler.now(),
    entity: String(input['entity']),
    status: 'RUNNING',
    last: undefined,
    endedAt: undefined,
    crashed: false,
    abort() {
      if (execution.status === 'RUNNING') end('ABORTED')
    },
  }
  const end = (status: Execution['status']) => {
    execution.status = status
    execution.endedAt = scheduler.now()
    sim.count(`execution ${status.toLowerCase()}`)
    sim.trace(() => `execution ${name} ${status}`)
  }
  void drive()
  return execution

  async function drive(): Promise<void> {
    let data: Record<string, unknown> = { ...input }
    let at = syncLoop.StartAt
    while (execution.status === 'RUNNING') {
      const state = states[at] as State
      switch (state.Type) {
        case 'Succeed':
          return end('SUCCEEDED')
        case 'Fail':
          return end('FAILED')
        case 'Wait': {
          const seconds = state.Seconds ?? Number(data[(state.SecondsPath ?? '').replace('$.', '')])
          await scheduler.sleep(seconds * 1000)
          at = state.Next as string
          break
        }
        case 'Choice':
          at =
            state.Choices?.find((choice) => choice.StringEquals === data['status'])?.Next ??
            state.Default ??
            ''
          break
        default: {
          const result = await task(state, data)
          if (!result) return
          const [caught] = state.Catch ?? []
          if ('crash' in result) {
            execution.crashed = true
            if (caught?.ResultPath === '$.error')
              data = { ...data, error: { Error: result.crash, Cause: '' } }
            at = caught?.Next as string
          } else {
            execution.last = { ...result.answer }
            if (state.ResultPath !== null) data = { ...result.answer }
            at = state.Next as string
          }
        }
      }
    }
  }

  /** One task with its retries; undefined if the execution was stopped meanwhile. */
  async function task(state: State, data: Record<string, unknown>): Promise<Invoked | undefined> {
    const payload = {
      task: state.Parameters?.task,
      input,
      execution: { id: execution.id, startedAt: new Date(execution.startedAt).toISOString() },
      ...('error' in data && { error: data['error'] }),
    }
    const tried = new Map<Retrier, number>()
    for (;;) {
      const result = await delivered(sim, payload)
      if (execution.status !== 'RUNNING') return undefined
      if ('answer' in result) return result
      const retrier = state.Retry?.find(
        ({ ErrorEquals }) => ErrorEquals.includes('States.ALL') || ErrorEquals.includes(result.crash),
      )
      const tries = (retrier && tried.get(retrier)) ?? 0
      if (!retrier || tries >= retrier.MaxAttempts) return result
      tried.set(retrier, tries + 1)
      const { IntervalSeconds, BackoffRate, MaxDelaySeconds } = retrier
      const maxMs = 1000 * Math.min(MaxDelaySeconds, IntervalSeconds * BackoffRate ** tries)
      await scheduler.sleep(sim.chance.next() * maxMs)
      if (execution.status !== 'RUNNING') return undefined
    }
  }
}

/** Lambda delivers at least once: an invocation may come twice, late, or go on although its caller gave up. */
export function delivered(sim: Simulation, payload: unknown): Promise<Invoked> {
  const { chance, scheduler, scenario } = sim
  const { duplicateDelivery, lostAnswer } = scenario.drivers
  if (chance.happens(duplicateDelivery)) {
    sim.count('delivered twice')
    scheduler.after(chance.delayMs(1, 300_000), () => void invokeWorker(sim, payload))
  }
  if (!chance.happens(lostAnswer)) return invokeWorker(sim, payload)
  const crash = chance.pick(['Lambda.TooManyRequestsException', 'Lambda.SdkClientException'])
  sim.count('invocation lost')
  if (crash === 'Lambda.SdkClientException') void invokeWorker(sim, payload)
  return scheduler.sleep(chance.delayMs(100, 60_000)).then(() => ({ crash }))
}
