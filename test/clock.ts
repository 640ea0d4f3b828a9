import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'

/** In milliseconds: how far the clocks of processes that preload moved-clock.ts are ahead of the machine's. */
const variable = 'LONGSHORE_TEST_CLOCK_AHEAD'
const preload = `--import=${new URL('moved-clock.ts', import.meta.url).href}`
const requests = 'http.server.request.start'

/** Of this process, as its environment states it. */
export const aheadMs = (): number => Number(process.env[variable] ?? 0)

/** The environment of a process whose clock is ahead of that of this process. */
export function clockEnvironment(moreMs: number) {
  const options = process.env['NODE_OPTIONS']
  return {
    [variable]: String(aheadMs() + moreMs),
    NODE_OPTIONS: options === undefined ? preload : `${options} ${preload}`,
  }
}

/** Lets this process, and those that it starts, continue from a time. Returns how to go back. */
export function moveClockTo(time: string): () => void {
  const ms = Date.parse(time) - Date.now()
  const environment = clockEnvironment(ms)
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, environment)
  const goBack = moveClock(ms)
  return () => {
    goBack()
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Moves the clock of this process alone. */
export function moveClock(ms: number): () => void {
  const current = globalThis.Date
  const before = current.now.bind(current)
  const now = () => before() + ms
  // What a test puts in the place of `Date.now`, which may call the previous one.
  let shown = now
  // A proxy, so that every date is an instance of it, also those that Node makes.
  const moved: DateConstructor = new Proxy(current, {
    construct: (target, values, newTarget) =>
      Reflect.construct(
        target,
        values.length > 0 ? values : [now()],
        newTarget === moved ? target : newTarget,
      ),
    get: (target, key) => (key === 'now' ? shown : Reflect.get(target, key)),
    set(...[target, key, value, receiver]) {
      // A class that extends it has a property of its own.
      if (key !== 'now' || receiver !== moved) return Reflect.set(target, key, value, receiver)
      shown = value as typeof now
      return true
    },
  })
  // Node would send the machine's time, by which the AWS SDK corrects its clock.
  const sendDate = (message: unknown) => {
    const { response } = message as { readonly response: ServerResponse }
    response.setHeader('date', new Date().toUTCString())
  }
  globalThis.Date = moved
  subscribe(requests, sendDate)
  return () => {
    globalThis.Date = current
    unsubscribe(requests, sendDate)
  }
}
