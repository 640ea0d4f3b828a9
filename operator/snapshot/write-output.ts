import { Interrupted } from '../errors.ts'
import { explainDamage } from './explain-damage.ts'

/** Runs `write`, and reports an interrupt or damaged data together with the unchanged file. */
export async function writeOutput<T>(
  { file, signal, fix }: { file: string; signal: AbortSignal; fix: string },
  write: () => Promise<T>,
): Promise<T> {
  return write().catch((error: unknown) => {
    if (signal.aborted) throw new Interrupted(`Interrupted. ${file} was not changed.`)
    return explainDamage({ fix, note: `${file} was not changed.` })(error)
  })
}
