import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UsageError, writeError } from '../operator/errors.ts'
import { acquireLock, type FileLock } from '../operator/file-lock.ts'
import { journalName } from './embedded/s3/journal.ts'
import { levelFileName } from './level/level.ts'

/** The folder of `--data`: the state of the embedded services and the data of the stand-in. */
export interface DataFolder {
  readonly table: string
  readonly bucket: string
  readonly platform: string
  /** A file: how far the schedules are. */
  readonly schedules: string
  /** Whether an earlier `npm start` left its state here. */
  readonly hasState: boolean
  /** Lets another `npm start` use the folder. */
  release(): void
}

/** Opens the folder for this process only. Throws `UsageError` if another one uses it. */
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path)
  const [table, bucket] = [join(folder, 'dynamodb'), join(folder, 's3')]
  const lock = openLock(folder)
  if (lock.kind === 'in-use')
    throw new UsageError(`--data: ${path} is in use by another npm start (process ${lock.pid}).`)
  if (isOfOlderRelease(bucket, journalName) || isOfOlderRelease(table, levelFileName)) {
    lock.release()
    throw new UsageError(
      `--data: the state in ${path} is of an older release of Longshore, and cannot be read. Delete the folder, or choose another.`,
    )
  }
  const hasState = existsSync(table)
  return {
    table,
    bucket,
    platform: join(folder, 'platform'),
    schedules: join(folder, 'schedules.json'),
    hasState,
    release: lock.release,
  }
}

/** Older releases had the objects in files with the names of their keys, and the items in a database. */
const isOfOlderRelease = (folder: string, file: string) =>
  existsSync(folder) && !existsSync(join(folder, file))

function openLock(folder: string): FileLock {
  const lock = join(folder, 'npm-start.json')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return acquireLock(lock)
  } catch (error) {
    throw writeError(lock, error)
  }
}
