import { randomUUID } from 'node:crypto'
import { closeSync, openSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Opens a file without a name, which the system deletes when the process ends. Returns its descriptor. */
export function openTemporaryFile(folder = tmpdir()): number {
  const path = `${folder}/longshore-${randomUUID()}`
  const file = openSync(path, 'wx+', 0o600)
  try {
    unlinkSync(path)
  } catch (error) {
    closeSync(file)
    throw error
  }
  return file
}
