import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CommandError, Interrupted } from '../../operator/errors.ts'
import { DamagedData } from '../../operator/snapshot/intact-lines.ts'

/** The path to write to. A directory receives a file of the default name. */
export function outputFile(output: string | undefined, defaultName: string): string {
  const path = resolve(output ?? '.')
  const isDirectory = output?.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory()
  return isDirectory ? join(path, defaultName) : path
}

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
