import { endMarginMs } from '../../../functions/runtime/client-limits.ts'
import type { StepContext } from '../../../functions/worker/context.ts'
import { awaitSlot } from '../../../functions/worker/lifecycle/slot-wait.ts'
import { readWorkerRequest } from '../../../functions/worker/request.ts'
import type { StepResponse } from '../../../functions/worker/response.ts'
import { step } from '../../../functions/worker/step.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { createGzipper } from '../../../stored/documents/gzip.ts'
import type { ChangesEvent, SyncEvent } from '../../../stored/events.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../../stored/sync-state.ts'
import { simulatedUpstream } from '../platform/simulated-upstream.ts'
import type { PlayedSimulation } from '../simulation.ts'
import { InjectedFault, Invocation, type Invoked, isInjected, lambdaLimitMs } from './invocation.ts'
import { simulatedPublisher } from './publisher.ts'
import { s3Client, simulatedTable, simulatedWaker } from './simulated-clients.ts'

/** Invokes the real worker as Lambda does. It returns a response, or the invocation fails or crashes. */
export function invokeWorker(sim: PlayedSimulation, payload: unknown): Promise<Invoked<StepResponse>> {
  return invoked(sim, payload, async (context, invocation) => {
    // The same as in functions/worker/handler.ts.
    const read = readWorkerRequest(JSON.parse(JSON.stringify(payload)))
    if (read.kind !== 'request') throw new Error(`The worker cannot read ${JSON.stringify(payload)}`)
    const now = invocation.now()
    const killedAt = now + lambdaLimitMs
    const response = await step(context, read.request, {
      worker: `${invocation.id}#${now}`,
      handOffAt: Math.min(now + sim.scenario.stepSeconds * 1000, killedAt - endMarginMs),
      killedAt,
    })
    sim.oracle.responded(invocation, response)
    return response
  })
}

/** Invokes it for an execution that waits for a slot from now on. */
export function invokeSlotWait(sim: PlayedSimulation, payload: unknown): Promise<Invoked<undefined>> {
  return invoked(sim, payload, async (context) => {
    const read = readWorkerRequest(JSON.parse(JSON.stringify(payload)))
    if (read.kind !== 'await-slot') throw new Error(`The worker cannot read ${JSON.stringify(payload)}`)
    await awaitSlot(context, read.wait)
    return undefined
  })
}

function invoked<T>(
  sim: PlayedSimulation,
  payload: unknown,
  work: (context: StepContext, invocation: Invocation) => Promise<T>,
): Promise<Invoked<T>> {
  const { scheduler, chance } = sim
  const invocation = new Invocation(sim, 'worker')
  sim.count('worker invoked')
  sim.trace(() => `${invocation.id} starts with ${JSON.stringify(payload)}`)
  return new Promise((done) => {
    const finish = (result: Invoked<T>) => scheduler.after(chance.delayMs(5, 300), () => done(result))
    invocation.onCrash = () => finish({ crash: 'Sandbox.Timedout' })
    work(workerWorld(sim, invocation), invocation).then(
      (received) => {
        invocation.end()
        sim.trace(() => `${invocation.id} returns ${JSON.stringify(received)}`)
        finish({ response: received })
      },
      (error: unknown) => {
        invocation.end()
        if (!isInjected(error)) {
          sim.oracle.violation(
            'worker-crashed',
            error instanceof Error ? (error.stack ?? error.message) : String(error),
          )
        }
        sim.trace(() => `${invocation.id} crashes: ${String(error)}`)
        finish({ crash: error instanceof Error ? error.name : 'Error' })
      },
    )
  })
}

const isOfSync = (event: SyncEvent | ChangesEvent): event is SyncEvent => !event.type.startsWith('Changes')

/** Every invocation uses it: its streams are expensive to create. */
const gzip = createGzipper()

function workerWorld(sim: PlayedSimulation, invocation: Invocation): StepContext {
  const { chance, scheduler, scenario } = sim
  const later = <T>(label: string, delayMs: number, act: () => T) =>
    invocation.outside<T>(label, (settle) => scheduler.after(delayMs, () => settle({ value: act() })))
  const sleep = (ms: number) => later('sleep', ms, () => undefined)
  return {
    settings: {
      name: 'Simulated',
      upstream: {
        baseUrl: 'https://platform',
        headerPrefix: 'X-SVC',
        searchPath: '/api/dataentities/{data_entity}/search',
        timeoutSeconds: 25,
      },
      entities: scenario.entities,
      auth: { type: 'iam' },
      credentials: {},
      endpoints: [],
      maxConcurrentSyncs: scenario.maxConcurrentSyncs,
      maxConcurrentScrolls: scenario.maxConcurrentScrolls,
      stepSeconds: scenario.stepSeconds,
      validation: 'strict',
      alerts: [],
    },
    state: createStateStore(
      simulatedTable(sim, invocation),
      (maxMs) => later('pause', chance.integer(0, maxMs), () => undefined),
      simulatedWaker(sim, invocation),
    ),
    snapshots: createSnapshotStore('snapshots', s3Client(sim, invocation), sleep),
    publisher: simulatedPublisher(sim, invocation),
    changes: createChangeSetStore('snapshots', s3Client(sim, invocation), sleep),
    upstream: simulatedUpstream(sim, invocation),
    publishEvent: (event) =>
      invocation.outside<void>('publish-event', (settle) => {
        scheduler.after(chance.delayMs(10, 500), () => {
          if (chance.happens(sim.scenario.stores.faults))
            return settle({ error: new InjectedFault('publish-event') })
          if (isOfSync(event)) sim.oracle.announced(event)
          else sim.oracle.changes.announced(event)
          settle({ value: undefined })
        })
      }),
    log: (level, message, fields) =>
      sim.trace(() => `${invocation.id} ${level} ${message} ${JSON.stringify(fields)}`),
    now: invocation.now,
    sleep,
    random: chance.next,
    compress: (bytes) =>
      invocation.outside('compress', (settle) =>
        scheduler.external(gzip(bytes).then((value) => scheduler.after(1, () => settle({ value })))),
      ),
    uniqueName: () => `u${sim.serial()}`,
  }
}
