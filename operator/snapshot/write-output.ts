import { CommandError, Interrupted } from '../errors.ts'
import { DamagedData } from './intact-lines.ts'

/** Runs `write`, and reports an interrupt or damaged data together with the unchanged file. */
export async function writeOutput<T>(
  { file, signal, fix }: { file: string; signal: AbortSignal; fix: string },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (signal.aborted) throw new Interrupted(`Interrupted. ${file} was not changed.`)
    if (!(error instanceof DamagedData)) throw error
    throw new CommandError(`${error.message} ${file} was not changed.`, { fix })
  }
}
