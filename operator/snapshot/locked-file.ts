import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError, writeError } from '../errors.ts'
import { acquireLock, type FileLock } from '../file-lock.ts'

/** Runs `write` while no other process writes the file. Throws `CommandError` with this fix if one does. */
export async function withLock<T>(file: string, fix: string, write: () => Promise<T>): Promise<T> {
  const lock = lockOf(file)
  if (lock.kind === 'in-use')
    throw new CommandError(`${file} is in use by process ${lock.pid}, which writes it.`, { fix })
  return write().finally(lock.release)
}

function lockOf(file: string): FileLock {
  try {
    mkdirSync(dirname(file), { recursive: true })
    return acquireLock(`${file}.lock`)
  } catch (error) {
    throw writeError(file, error)
  }
}
