import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import type { Configuration } from '../../lib/config.ts'
import { CommandError } from '../errors.ts'

/** A running `npm start`, as it describes itself in a file that only its user can read. */
export interface LocalInstance {
  /** ISO 8601. */
  readonly startedAt: string
  /** ISO 8601. When the schedules began, which may be an earlier start with the same data. */
  readonly schedulesSince: string
  readonly apiUrl: string
  /** With the platform that is used. */
  readonly configuration: Configuration
  readonly bucket: string
  readonly table: string
  readonly stateMachineArn: string
  readonly secretId: string
  /** The functions' log, one JSON object per line. */
  readonly logFile: string
  /** Proves that a caller may move the clock. */
  readonly clockToken: string
  /** Variables that point every AWS client at the embedded services, with the access keys that those require. */
  readonly environment: Readonly<Record<string, string>>
}

/** What everybody on this machine may know about a running `npm start`. */
export interface PublicInstance {
  /** ISO 8601. */
  readonly startedAt: string
  readonly platform: 'stand-in' | 'real'
  readonly baseUrl: string
  /** How far its clock is ahead of the machine's. */
  readonly aheadMs: number
}

/** A running `npm start` that was found. */
export type FoundInstance = LocalInstance & Pick<PublicInstance, 'aheadMs'>

/** Path on the local gateway that moves the clock. */
export const localClockPath = '/local/clock'

export interface LocalClockMove {
  readonly ms: number
}

/** Path of the `PublicInstance` on the local gateway. */
export const publicInstancePath = '/local.json'

const instanceFileSchema = v.looseObject({
  startedAt: v.string(),
  apiUrl: v.string(),
  environment: v.record(v.string(), v.string()),
})

const timeLimitMs = 5_000
const start = 'start it in another terminal: npm start'

/** Throws `CommandError` unless the `npm start` that wrote the file runs. */
export async function findLocalInstance(path: string): Promise<FoundInstance> {
  const instance = await readInstanceFile(path)
  if (!instance) throw new CommandError(`npm start is not running: ${path} was not found.`, { fix: start })
  // Another program may have taken the port since.
  const running = await readPublic(instance.apiUrl)
  if (running?.startedAt === instance.startedAt) return { ...instance, aheadMs: running.aheadMs ?? 0 }
  throw new CommandError(
    `npm start is not running. The process that started at ${instance.startedAt} has ended.`,
    { fix: start },
  )
}

/** Undefined if the file does not exist. Throws `CommandError` if `npm start` did not write it. */
async function readInstanceFile(path: string): Promise<LocalInstance | undefined> {
  try {
    const content = v.parse(instanceFileSchema, JSON.parse(await readFile(path, 'utf8')))
    return content as object as LocalInstance
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CommandError(`${path} was not written by npm start.`, {
      fix: 'set LONGSHORE_LOCAL to 1, or to the path that npm start printed',
      cause: error,
    })
  }
}

/** Undefined if no program responds at the URL, or another one does. */
async function readPublic(url: string): Promise<Partial<PublicInstance> | undefined> {
  try {
    const response = await fetch(url + publicInstancePath, { signal: AbortSignal.timeout(timeLimitMs) })
    return response.ok ? ((await response.json()) as Partial<PublicInstance>) : undefined
  } catch {
    return undefined
  }
}

/** Points the AWS clients of this process at the embedded services, and at nothing else. */
export function useLocalServices({ environment }: LocalInstance): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AWS_')) delete process.env[name]
  }
  Object.assign(process.env, environment)
}

/** Moves the clock of `npm start` forward. Resolves when what became due has ended or waits. Throws `CommandError`. */
export async function moveLocalClock(path: string, ms: number): Promise<void> {
  const { apiUrl, clockToken } = await findLocalInstance(path)
  const response = await fetch(apiUrl + localClockPath, {
    method: 'POST',
    headers: { authorization: `Bearer ${clockToken}` },
    body: JSON.stringify({ ms } satisfies LocalClockMove),
  })
  if (response.ok) return
  const { message } = (await response.json()) as { readonly message: string }
  throw new CommandError(`The clock was not moved: ${message}`)
}
