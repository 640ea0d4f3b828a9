import { Interrupted } from '../errors.ts'
import type { Waiting } from '../waiting.ts'

const firstMs = 250
const maxMs = 1_000

/** Short at first, so that a small sync is shown at once. Doubles up to a second. */
const pollIntervalMs = (polls: number): number => Math.min(firstMs * 2 ** polls, maxMs)

/** Calls `read` until it returns a value. Throws `Interrupted` with this message. */
export async function pollUntil<T>(
  read: () => Promise<T | undefined>,
  { pause, signal, interrupted }: Waiting & { readonly interrupted: string },
): Promise<T> {
  for (let polls = 0; ; polls++) {
    const value = await read()
    if (value !== undefined) return value
    await pause(pollIntervalMs(polls), signal)
    if (signal.aborted) throw new Interrupted(interrupted)
  }
}
