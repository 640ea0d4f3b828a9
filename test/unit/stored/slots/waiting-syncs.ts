import { syncStateMachine, workerResource } from '../../../../lib/sync/state-machine.ts'
import { readDefinition } from '../../../../local/states/definition.ts'
import { startExecution } from '../../../../local/states/execution.ts'
import type { TableClient } from '../../../../stored/dynamodb/state-table.ts'
import { newRunId } from '../../../../stored/run/run.ts'
import type { Waker } from '../../../../stored/slots/slots.ts'
import { createStateStore } from '../../../../stored/sync-state.ts'
import { createScheduler } from '../../../simulation/scheduler.ts'
import { MemoryDynamoDb } from '../../../simulation/stores/memory-dynamodb.ts'

/** Milliseconds that a request, a transition of the state machine and the start of an invocation take. */
const latencies = { dynamoDb: 8, stepFunctions: 40, transition: 30, invocation: 250 }

export interface PlayedSyncs {
  readonly seconds: number
  /** The order in which the runs, numbered in the order in which they began, got their slots. */
  readonly order: readonly number[]
  /** Of each run: the states that its execution entered. */
  readonly transitions: readonly number[]
  /** Of all runs. */
  readonly invocations: number
  readonly reads: number
  readonly writes: number
}

/** Syncs of `syncMs` that begin one after the other at once, with the real queue and state machine in virtual time. */
export async function playSyncs({ syncs = 300, slots = 10, syncMs = 1_000 } = {}): Promise<PlayedSyncs> {
  const startsAt = Date.UTC(2031, 0, 2)
  const scheduler = createScheduler(startsAt)
  const { now } = scheduler
  const sleep = (ms: number) => scheduler.sleep(ms)
  const dynamodb = new MemoryDynamoDb()
  const counts = { invocations: 0, reads: 0, writes: 0 }
  const client: TableClient = {
    read: async (request) => {
      counts.reads++
      await sleep(latencies.dynamoDb)
      return dynamodb.readNow(request)
    },
    write: async (request) => {
      counts.writes++
      await sleep(latencies.dynamoDb)
      return dynamodb.writeNow(request)
    },
  }
  const executions: ((token: string) => boolean)[] = []
  const wake: Waker['wake'] = async (token) => {
    await sleep(latencies.stepFunctions)
    return { kind: executions.some((send) => send(token)) ? 'woken' : 'gone' }
  }
  // As random as the pauses of many processes, and the same in each test.
  let pauses = 0
  const pause = (maxMs: number) => sleep((maxMs * (++pauses % 7)) / 7)
  const openStore = () =>
    createStateStore(client, pause, { counts: { syncs: slots, scrolls: slots }, now, wake, name: 'worker' })
  const order: number[] = []
  const transitions = Array.from({ length: syncs }, () => 0)

  async function step(index: number, runId: string): Promise<object> {
    const state = openStore()
    if (!(await state.takeSlot(runId, slots, { now: now(), until: now() + syncMs + 300_000 }))) {
      await state.queueRun('syncs', { runId, until: now() + 75_000 })
      return { status: 'waiting', runId, slot: 'syncs', waitSeconds: 15, slotSeconds: 3_600 }
    }
    order.push(index)
    await sleep(syncMs)
    await state.releaseSlots(runId)
    return { status: 'published' }
  }

  function execute(index: number): Promise<unknown> {
    const runId = newRunId(startsAt + index)
    const context = { Id: `execution-${index}`, Name: 'sync', StartTime: '', Input: {} }
    const execution = startExecution(
      readDefinition(syncStateMachine),
      { Execution: context },
      {
        async invoke(resource, payload) {
          await sleep(latencies.transition)
          if (resource !== workerResource) return { status: 'off' }
          counts.invocations++
          await sleep(latencies.invocation)
          const { task, token = '' } = payload as { readonly task: string; readonly token?: string }
          if (task === 'step') return step(index, runId)
          await openStore().awaitSlot('syncs', { runId, token, until: now() + 3_600_000 })
          return undefined
        },
        sleep: (ms, interrupted) => Promise.race([sleep(ms), ...(interrupted ? [interrupted] : [])]),
        random: () => 0.5,
        onEnter: () => {
          transitions[index] = (transitions[index] ?? 0) + 1
        },
      },
    )
    executions.push(execution.sendTaskSuccess)
    return execution.outcome
  }

  let endedAt: number | undefined
  void Promise.all(Array.from({ length: syncs }, (_, index) => execute(index))).then(() => {
    endedAt = now()
  })
  await scheduler.run(() => endedAt !== undefined, startsAt + 24 * 3_600_000)
  if (endedAt === undefined) throw new Error('Some syncs have not ended.')
  return { seconds: (endedAt - startsAt) / 1000, order, transitions, ...counts }
}
