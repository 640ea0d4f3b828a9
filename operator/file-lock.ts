import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import * as v from 'valibot'
import { parseJson } from '../functions/runtime/json-object.ts'

const ownerSchema = v.object({
  pid: v.number(),
  /** When the process started, as the system prints it: another process may have its id now. Absent if it is not known. */
  started: v.optional(v.string()),
})

export type FileLock =
  | { readonly kind: 'acquired'; readonly release: () => void }
  | { readonly kind: 'in-use'; readonly pid: number }

/** Creates the lock file for this process. The lock of a process that has ended is replaced. Throws the system's errors. */
export function acquireLock(lock: string): FileLock {
  const own = JSON.stringify({ pid: process.pid, started: startOf(process.pid) })
  while (!create(lock, own)) {
    const text = textOf(lock)
    const owner = parseJson(text ?? '')
    if (v.is(ownerSchema, owner) && isRunning(owner)) return { kind: 'in-use', pid: owner.pid }
    if (text !== undefined) removeStale(lock, text)
  }
  const release = () => {
    if (textOf(lock) === own) rmSync(lock, { force: true })
  }
  return { kind: 'acquired', release }
}

/** In one step, so no process reads half of it. False if it exists. */
function create(lock: string, text: string): boolean {
  const whole = `${lock}.${process.pid}`
  writeFileSync(whole, text)
  try {
    linkSync(whole, lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // The file system has no hard links.
    writeFileSync(lock, text, { flag: 'wx' })
    return true
  } finally {
    rmSync(whole, { force: true })
  }
}

/** Puts the lock back if another process has replaced it meanwhile. */
function removeStale(lock: string, text: string): void {
  const removed = `${lock}.${process.pid}`
  try {
    renameSync(lock, removed)
    if (textOf(removed) !== text) linkSync(removed, lock)
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) throw error
  } finally {
    rmSync(removed, { force: true })
  }
}

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

function isRunning({ pid, started }: v.InferOutput<typeof ownerSchema>): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // It belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return started === undefined || (startOf(pid) ?? started) === started
}

/** From proc(5): field 22, after the name, which can contain spaces. Undefined on other systems than Linux. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
