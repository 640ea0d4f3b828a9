import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { writeError } from '../operator/errors.ts'

/** Writes a file whole or not at all, which only this user may read. Throws `CommandError` if the system refuses. */
export function writeWholeFile(file: string, text: string): void {
  const partial = `${file}.${process.pid}~`
  try {
    rmSync(partial, { force: true })
    writeFileSync(partial, text, { flag: 'wx', mode: 0o600 })
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw writeError(file, error)
  }
}
