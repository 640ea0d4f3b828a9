import { setTimeout as sleep } from 'node:timers/promises'

/** Waits, at most until the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** What a command needs that asks again until something has happened. */
export interface Waiting {
  readonly pause: Sleep
  readonly signal: AbortSignal
}

export const pause: Sleep = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined)
