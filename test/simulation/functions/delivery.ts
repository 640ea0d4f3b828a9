import type { PlayedSimulation } from '../simulation.ts'
import type { Invoked } from './invocation.ts'

/** Lambda delivers at least once: an invocation may arrive twice or late, or continue although its caller gave up. */
export function delivered<T>(sim: PlayedSimulation, invoke: () => Promise<Invoked<T>>): Promise<Invoked<T>> {
  const { chance, scheduler, scenario } = sim
  const { duplicateDelivery, lostResponse } = scenario.drivers
  if (chance.happens(duplicateDelivery)) {
    sim.count('delivered twice')
    scheduler.after(chance.delayMs(1, 300_000), () => void invoke())
  }
  if (!chance.happens(lostResponse)) return invoke()
  const crash = chance.pick(['Lambda.TooManyRequestsException', 'Lambda.SdkClientException'])
  sim.count('invocation lost')
  if (crash === 'Lambda.SdkClientException') void invoke()
  return scheduler.sleep(chance.delayMs(100, 60_000)).then(() => ({ crash }))
}
