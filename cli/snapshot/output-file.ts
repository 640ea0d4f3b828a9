import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The path to write to. A directory receives a file of the default name. */
export function outputFile(output: string | undefined, defaultName: string): string {
  const path = resolve(output ?? '.')
  const isDirectory = output?.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory()
  return isDirectory ? join(path, defaultName) : path
}
