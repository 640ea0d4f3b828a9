import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'

const requests = 'http.server.request.start'

/** Lets the clock of this thread be ahead of the machine's. Returns how to undo it. */
export function putAhead(aheadMs: () => number): () => void {
  const current = globalThis.Date
  const before = current.now.bind(current)
  const now = () => before() + aheadMs()
  // What somebody puts in the place of `Date.now`, which may call the previous one.
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
