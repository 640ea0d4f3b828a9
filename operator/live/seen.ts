import type { Waiting } from '../waiting.ts'

const pollMs = 2_000

/** Looks again until it has been seen or the time is over. What it throws ends the waiting. */
export async function seen(look: () => Promise<boolean>, { pause, signal }: Waiting): Promise<boolean> {
  for (;;) {
    if (await look()) return true
    await pause(pollMs, signal)
    if (signal.aborted) return false
  }
}
