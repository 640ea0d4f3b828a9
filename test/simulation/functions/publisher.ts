import { checkRun } from '../../../functions/publisher/check-run.ts'
import { publishRun } from '../../../functions/publisher/publish-run.ts'
import { type PublisherRequest, readRequest } from '../../../functions/publisher/request.ts'
import { publisherLimits } from '../../../functions/runtime/client-limits.ts'
import type { Busy, CheckResult, PublisherClient } from '../../../functions/state/snapshots/publication.ts'
import { publisherOn } from '../../in-process-publisher.ts'
import type { PlayedSimulation } from '../simulation.ts'
import { delivered } from './delivery.ts'
import { InjectedFault, Invocation, type Invoked, isInjected, type Outcome } from './invocation.ts'
import { s3Client, simulatedTable } from './simulated-clients.ts'

/** The same as in functions/publisher/handler.ts. */
const maxCheckMs = 270_000

/** The publisher for a worker, which may stop waiting while the publisher goes on. */
export function simulatedPublisher(sim: PlayedSimulation, worker: Invocation): PublisherClient {
  const { chance, scheduler } = sim
  const invoke = <Result>(request: PublisherRequest, maxMs: number, late: Outcome<Result>) =>
    worker.outside<Result | Busy>('publisher', (settle) => {
      let isOver = false
      const end = (outcome: Outcome<Result | Busy>) => {
        if (!isOver) settle(outcome)
        isOver = true
      }
      scheduler.after(maxMs, () => end(late))
      scheduler.after(
        chance.delayMs(5, 300),
        () =>
          void delivered(sim, () => invokePublisher<Result>(sim, request)).then((one) => end(outcomeOf(one))),
      )
    })
  const check = <Found>(request: Omit<PublisherRequest, 'task'>, maxMs: number) =>
    invoke<CheckResult<Found>>({ task: 'check', ...request }, Math.max(1, maxMs), {
      value: { kind: 'checking', pages: 0 },
    })
  return {
    checkRange: check,
    checkRun: check,
    publish: (request) =>
      invoke({ task: 'publish', ...request }, publisherLimits.requestHandler.requestTimeout, {
        error: new InjectedFault('publisher: timeout'),
      }),
  }
}

function outcomeOf<Result>(invoked: Invoked<Result>): Outcome<Result | Busy> {
  if ('response' in invoked) return { value: invoked.response }
  return invoked.crash === 'Lambda.TooManyRequestsException'
    ? { value: { kind: 'busy' } }
    : { error: new InjectedFault(`publisher: ${invoked.crash}`) }
}

/** Invokes the real publisher as Lambda does. */
function invokePublisher<Result>(sim: PlayedSimulation, payload: PublisherRequest): Promise<Invoked<Result>> {
  const { scheduler, chance, oracle } = sim
  const invocation = new Invocation(sim, 'publisher')
  sim.count('publisher invoked')
  sim.trace(() => `${invocation.id} starts with ${JSON.stringify(payload)}`)
  const publisher = publisherOn({
    table: simulatedTable(sim, invocation),
    s3: s3Client(sim, invocation),
    now: invocation.now,
    endsAt: invocation.now() + maxCheckMs,
    wait: (ms) =>
      invocation.outside<void>('wait', (settle) => scheduler.after(ms, () => settle({ value: undefined }))),
  })
  return new Promise((done) => {
    const finish = (result: Invoked<Result>) => scheduler.after(chance.delayMs(5, 300), () => done(result))
    invocation.onCrash = () => finish({ crash: 'Sandbox.Timedout' })
    const request = readRequest(JSON.parse(JSON.stringify(payload)))
    const result = request.task === 'check' ? checkRun(publisher, request) : publishRun(publisher, request)
    result.then(
      (found) => {
        invocation.end()
        sim.count(`${request.task}: ${found.kind}`)
        if (found.kind === 'damaged') oracle.damaged(found.reason)
        sim.trace(() => `${invocation.id} returns ${JSON.stringify(found)}`)
        finish({ response: JSON.parse(JSON.stringify(found)) as Result })
      },
      (error: unknown) => {
        invocation.end()
        if (!isInjected(error))
          oracle.violation(
            'worker-crashed',
            error instanceof Error ? (error.stack ?? error.message) : String(error),
          )
        sim.trace(() => `${invocation.id} crashes: ${String(error)}`)
        finish({ crash: error instanceof Error ? error.name : 'Error' })
      },
    )
  })
}
