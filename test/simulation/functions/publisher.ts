import { carryOut, type PublisherRequest, readRequest } from '../../../functions/publisher/tasks.ts'
import { publisherLimits } from '../../../functions/runtime/client-limits.ts'
import type { SetResult } from '../../../stored/changes/publication.ts'
import type { PublisherClient } from '../../../stored/publisher.ts'
import type { Busy, CheckRequest, CheckResult } from '../../../stored/snapshots/publication.ts'
import { publisherOn } from '../../in-process-publisher.ts'
import type { PlayedSimulation } from '../simulation.ts'
import { delivered } from './delivery.ts'
import type { Invoked, Outcome } from './invocation.ts'
import { InjectedFault, Invocation, isInjected, lambdaLimitMs } from './invocation.ts'
import { s3Client, simulatedTable } from './simulated-clients.ts'

/** The same as in functions/publisher/handler.ts. */
const maxCheckMs = 270_000
/** The same as in stored/publisher.aws.ts. */
const maxSetMs = 240_000
const pauseMs = 5_000

/** The publisher for another function, which may stop waiting while the publisher continues. */
export function simulatedPublisher(sim: PlayedSimulation, caller: Invocation): PublisherClient {
  const { chance, scheduler } = sim
  const invoke = <Result>(request: PublisherRequest, maxMs: number, late: Outcome<Result>) =>
    caller.outside<Result | Busy>('publisher', (settle) => {
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
  const check = <Found>(request: CheckRequest, maxMs: number) =>
    invoke<CheckResult<Found>>({ task: 'check', ...request }, Math.max(1, maxMs), {
      value: { kind: 'checking', pages: 0 },
    })
  const ask = <Result>(request: PublisherRequest) =>
    invoke<Result>(request, publisherLimits.requestHandler.requestTimeout, {
      error: new InjectedFault('publisher: timeout'),
    })
  const askUnlessBusy = async <Result>(request: PublisherRequest) => {
    const result = await ask<Result & { readonly kind: string }>(request)
    if (result.kind === 'busy') throw new InjectedFault('publisher: busy')
    return result as Result
  }
  return {
    checkRange: check,
    checkRun: check,
    publish: (request) => ask({ task: 'publish', ...request }),
    async publishSet(request) {
      const event = { task: 'publish-set', ...request } as const
      const result = await invoke<SetResult>(event, maxSetMs, { value: { kind: 'checking' } })
      if (result.kind === 'busy') throw new InjectedFault('publisher: busy')
      if (result.kind === 'checking') await scheduler.sleep(pauseMs)
      return result
    },
    note: (request) => askUnlessBusy({ task: 'note', ...request }),
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
    entities: () => invocation.deployed.entities,
    endsAt: invocation.now() + (payload.task === 'check' ? maxCheckMs : lambdaLimitMs),
    wait: (ms) =>
      invocation.outside<void>('wait', (settle) => scheduler.after(ms, () => settle({ value: undefined }))),
  })
  return new Promise((done) => {
    const finish = (result: Invoked<Result>) => scheduler.after(chance.delayMs(5, 300), () => done(result))
    invocation.onCrash = () => finish({ crash: 'Sandbox.Timedout' })
    const request = readRequest(JSON.parse(JSON.stringify(payload)))
    carryOut(publisher, request).then(
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
