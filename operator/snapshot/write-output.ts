import { Interrupted } from '../errors.ts'
import { explainDamage } from './explain-damage.ts'

/** Runs `write`, and reports an interrupt or damaged data together with the unchanged file. */
export async function writeOutput<T>(
  { file, signal, fix }: { file: string; signal: AbortSignal; fix: string },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await explainDamage({ fix, note: `${file} was not changed.` }, write)
  } catch (error) {
    if (signal.aborted) throw new Interrupted(`Interrupted. ${file} was not changed.`)
    throw error
  }
}
