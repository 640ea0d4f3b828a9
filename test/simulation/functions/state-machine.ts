import { compareResource, syncStateMachine, tablesResource } from '../../../lib/sync/state-machine.ts'
import { readDefinition } from '../../../local/states/definition.ts'
import { startExecution as run } from '../../../local/states/execution.ts'
import type { PlayedSimulation } from '../simulation.ts'
import { invokeTables } from '../tables/invoke-tables.ts'
import { invokeComparison } from './comparison.ts'
import { delivered } from './delivery.ts'
import type { Execution } from './execution.ts'
import { invokeSlotWait, invokeWorker } from './worker.ts'

const definition = readDefinition(syncStateMachine)

/** Runs the deployed definition in virtual time. */
export function startExecution(
  sim: PlayedSimulation,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Execution {
  const { scheduler, chance } = sim
  const execution: Execution = {
    id: `arn:aws:states:eu-west-1:111122223333:execution:Sync:${name}`,
    startedAt: scheduler.now(),
    entity: String(input['entity']),
    accepts: 'accept' in input,
    status: 'RUNNING',
    last: undefined,
    endedAt: undefined,
    crashed: false,
    stoppedByHand: false,
    abort() {
      if (execution.status !== 'RUNNING') return
      running.abort()
      end('ABORTED')
    },
  }
  const end = (status: Execution['status']) => {
    if (execution.status !== 'RUNNING') return
    execution.status = status
    execution.endedAt = scheduler.now()
    sim.count(`execution ${status.toLowerCase()}`)
    sim.trace(() => `execution ${name} ${status}`)
  }
  const context = {
    Execution: {
      Id: execution.id,
      Name: name,
      StartTime: new Date(execution.startedAt).toISOString(),
      Input: input,
    },
  }
  const running = run(definition, context, {
    async invoke(resource, payload) {
      if (resource === compareResource) return compare(sim, payload)
      if (resource === tablesResource) return makeTable(sim, payload)
      if ((payload as { readonly task: string }).task === 'await-slot') {
        const waiting = await delivered(sim, () => invokeSlotWait(sim, payload))
        if ('crash' in waiting) throw crashed(waiting.crash)
        return waiting.response
      }
      const result = await delivered(sim, () => invokeWorker(sim, payload))
      if ('crash' in result) throw crashed(result.crash)
      execution.last = { ...result.response }
      return result.response
    },
    sleep: (ms, interrupted) => Promise.race([scheduler.sleep(ms), ...(interrupted ? [interrupted] : [])]),
    random: chance.next,
  })
  sim.callbacks.add(running.sendTaskSuccess)
  void running.outcome.then((outcome) => {
    sim.callbacks.delete(running.sendTaskSuccess)
    execution.crashed = outcome.status === 'FAILED' && outcome.error === 'SyncCrashed'
    end(outcome.status)
  })
  return execution
}

async function compare(sim: PlayedSimulation, payload: unknown): Promise<unknown> {
  if (!sim.scenario.compares) return { status: 'off' }
  const result = await delivered(sim, () => invokeComparison(sim, payload))
  if ('crash' in result) throw crashed(result.crash)
  return result.response
}

async function makeTable({ tables }: PlayedSimulation, payload: unknown): Promise<unknown> {
  if (!tables) return { status: 'off' }
  const result = await delivered(tables.sim, () => invokeTables(tables, payload))
  if ('crash' in result) throw crashed(result.crash)
  return result.response
}

const crashed = (name: string) => Object.assign(new Error('{}'), { name })
