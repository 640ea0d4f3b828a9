import { DamagedData } from '../damaged-data.ts'
import { CommandError } from '../errors.ts'

/** Runs `work`. If it finds damaged data, the error names `fix`, the command or action that resolves that. */
export async function explainDamage<T>(
  { fix, note = '' }: { fix: string; note?: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error
    throw new CommandError(`${error.message} ${note}`.trim(), { fix })
  }
}
