import { setTimeout as wait } from 'node:timers/promises'
import type { LambdaHandler } from './lambda.ts'

/** The calls of functions that run in this process, which cannot be killed. */
export class RunningCalls {
  readonly #calls = new Set<Promise<unknown>>()

  track(handler: LambdaHandler): LambdaHandler {
    return async (event, context) => {
      const call = handler(event, context)
      this.#calls.add(call)
      try {
        return await call
      } finally {
        this.#calls.delete(call)
      }
    }
  }

  /** Resolves when all calls have ended, or after this time. */
  async end(atMostMs: number): Promise<void> {
    const ended = new AbortController()
    const timeout = wait(atMostMs, undefined, { signal: ended.signal }).catch(() => undefined)
    await Promise.race([timeout, Promise.allSettled(this.#calls)])
    ended.abort()
  }
}
