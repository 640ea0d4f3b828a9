import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UsageError } from '../../operator/errors.ts'

/** The path to write to. A directory receives a file of the default name. Throws `UsageError` for `-`. */
export function outputFile(output: string | undefined, defaultName: string): string {
  if (output === '-')
    throw new UsageError(
      '--output: nothing is written to standard output, since the file appears only when it has been checked. Write to a file, then print it; a file of this name is ./-',
    )
  const path = resolve(output ?? '.')
  const isDirectory = output?.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory()
  return isDirectory ? join(path, defaultName) : path
}
