import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * The folder of tools that are installed from a package index. If they cannot be, it prints a warning and returns
 * undefined, so that the other tests run; if `LONGSHORE_LEAVE_NOTHING_OUT` is set, as in .ci/run, it throws.
 */
export async function optionalTools(
  { name, needs }: { readonly name: string; readonly needs: string },
  install: (cleanUp: { add(): undefined }) => Promise<string>,
): Promise<string | undefined> {
  try {
    return await oneAtATime(name, () => install(noCleanUp))
  } catch (cause) {
    const need = `${name} needs ${needs}`
    if (process.env['LONGSHORE_LEAVE_NOTHING_OUT']) throw new Error(`${need}.`, { cause })
    console.warn(`Skipped: ${need}. ${String(cause).split('\n')[0]}`)
    return undefined
  }
}

/** Vitest ends its own child processes. */
const noCleanUp = { add: () => undefined }

const locks = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url))

/** Lets one process at a time install. A lock older than five minutes is stale. */
async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const lock = `${locks}${name}.lock`
  await mkdir(locks, { recursive: true })
  const deadline = Date.now() + 300_000
  while (!(await taken(lock)) && Date.now() < deadline) await sleep(200)
  try {
    return await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

async function taken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
