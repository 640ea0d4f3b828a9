import { setTimeout as sleep } from 'node:timers/promises'
import { Interrupted } from '../errors.ts'

const firstMs = 250
const maxMs = 1_000

/** Short at first, so that a small sync is shown at once. Doubles up to a second. */
export function pollIntervalMs(polls: number): number {
  return Math.min(firstMs * 2 ** polls, maxMs)
}

/** Calls `read` until it returns a value. Throws `Interrupted` with this message. */
export async function pollUntil<T>(
  read: () => Promise<T | undefined>,
  { signal, interrupted }: { readonly signal: AbortSignal; readonly interrupted: string },
): Promise<T> {
  for (let polls = 0; ; polls++) {
    const value = await read()
    if (value !== undefined) return value
    await sleep(pollIntervalMs(polls), undefined, { signal }).catch(() => {
      throw new Interrupted(interrupted)
    })
  }
}
