import { describeError, type Log } from '../runtime/log.ts'

/** Deletes what is no longer needed. If that fails, the task ends as it would have, and the next one repeats it. */
export async function cleaningUp(
  log: Log,
  of: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    log('ERROR', 'clean-up failed', { ...of, error: describeError(error) })
  }
}
