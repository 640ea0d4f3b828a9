import { type CompareContext, ComparisonFailed } from '../../../functions/compare/context.ts'
import { readCompareTask } from '../../../functions/compare/request.ts'
import type { ComparisonResult } from '../../../functions/compare/result.ts'
import { runCompareTask } from '../../../functions/compare/run-task.ts'
import { endMarginMs } from '../../../functions/runtime/client-limits.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import type { SetPublisher } from '../../../stored/changes/publication.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import type { PlayedSimulation } from '../simulation.ts'
import { isBug } from './bug.ts'
import { crashOf, InjectedFault, Invocation, type Invoked } from './invocation.ts'
import { simulatedPublisher } from './publisher.ts'
import { labelOf, s3Client } from './simulated-clients.ts'

/** Invokes the real comparison as Lambda does. */
export function invokeComparison(
  sim: PlayedSimulation,
  payload: unknown,
): Promise<Invoked<ComparisonResult>> {
  const { scheduler, chance, oracle } = sim
  const invocation = new Invocation(sim, 'compare')
  sim.count('comparison invoked')
  sim.trace(() => `${invocation.id} compares ${JSON.stringify(payload)}`)
  return new Promise((done) => {
    const finish = (result: Invoked<ComparisonResult>) => {
      invocation.end()
      scheduler.after(chance.delayMs(5, 300), () => done(result))
    }
    const crash = crashOf(invocation, () => finish({ crash: 'Sandbox.Timedout' }))
    const task = readCompareTask(JSON.parse(JSON.stringify(payload)))
    const { runId, acceptDeletes } = task.request
    if (acceptDeletes && runId !== undefined) oracle.changes.accepts(runId)
    const context = contextOf(sim, invocation, crash)
    const { entities } = invocation.deployed
    runCompareTask(context, entities, task).then(
      (response) => {
        if (!invocation.alive) return
        sim.count(`comparison ${response.status}`)
        sim.trace(() => `${invocation.id} returns ${JSON.stringify(response)}`)
        finish({ response })
      },
      (error: unknown) => {
        if (!invocation.alive) return
        if (isBug(error)) oracle.violation('worker-crashed', error.stack ?? error.message)
        sim.trace(() => `${invocation.id} crashes: ${String(error)}`)
        finish({ crash: error instanceof Error ? error.name : 'Error' })
      },
    )
  })
}

/** After a crash the calls reject too. */
const orCrash = ({ publishSet, note }: SetPublisher, crash: Promise<never>): SetPublisher => ({
  publishSet: (request) => Promise.race([publishSet(request), crash]),
  note: (request) => Promise.race([note(request), crash]),
})

/** After a crash every call rejects, so that its files are closed, as the system does for a process that ends. */
function contextOf(sim: PlayedSimulation, invocation: Invocation, crash: Promise<never>): CompareContext {
  const { chance, scheduler } = sim
  const wait = (ms: number) =>
    invocation.outside<void>('wait', (settle) => scheduler.after(ms, () => settle({ value: undefined })))
  const real = s3Client(sim, invocation)
  let isFast = !chance.happens(sim.scenario.drivers.slowCompare)
  const send = (command: Parameters<typeof real.send>[0]) => {
    if (!invocation.alive) return crash
    const receive = () => Promise.race([real.send(command), crash])
    if (isFast || labelOf(command) !== 'put-proposal') return receive()
    isFast = true
    return Promise.race([wait(chance.integer(1, 13) * 60_000), crash]).then(receive)
  }
  const client = { send } as unknown as typeof real
  return {
    snapshots: createSnapshotStore('snapshots', client, wait),
    changes: createChangeSetStore('snapshots', client, wait),
    publisher: orCrash(simulatedPublisher(sim, invocation), crash),
    publishEvent: (event) =>
      Promise.race([
        crash,
        invocation.outside<void>('publish-event', (settle) => {
          scheduler.after(chance.delayMs(10, 500), () => {
            if (chance.happens(sim.scenario.stores.faults))
              return settle({ error: new InjectedFault('publish-event') })
            sim.oracle.changes.announced(event)
            settle({ value: undefined })
          })
        }),
      ]),
    log: (level, message, fields) =>
      sim.trace(() => `${invocation.id} ${level} ${message} ${JSON.stringify(fields)}`),
    now: invocation.now,
    eraseWithinDays: invocation.deployed.increments?.eraseWithinDays,
    checkTime: () => {
      if (scheduler.now() > invocation.killedAt - endMarginMs)
        throw new ComparisonFailed('too-large', 'The comparison takes longer than an invocation.')
    },
  }
}
