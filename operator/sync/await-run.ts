import { hasEnded } from '../../stored/run/run.ts'
import type { RunView } from '../../stored/views.ts'
import { Interrupted } from '../errors.ts'
import type { Waiting } from '../waiting.ts'
import type { Syncs } from './syncs.ts'

export interface AwaitRunOptions extends Waiting {
  readonly syncs: Pick<Syncs, 'readRun'>
  /** Called with each state of the run that was read. */
  readonly show?: (run: RunView) => void
}

/** Reads a run until it has ended. Throws `Interrupted`. */
export function awaitRun(
  { syncs, show, pause, signal }: AwaitRunOptions,
  { entity, runId }: Pick<RunView, 'entity' | 'runId'>,
): Promise<RunView> {
  const readEnd = async () => {
    const run = await syncs.readRun(entity, runId)
    show?.(run)
    return hasEnded(run) ? run : undefined
  }
  const interrupted = `Stopped watching. Run ${runId} of ${entity} continues.`
  return pollUntil(readEnd, { pause, signal, interrupted })
}

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
