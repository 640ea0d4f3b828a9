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
  /** The secret of all areas. */
  readonly secretId: string
  /** The functions' log, one JSON object per line. */
  readonly logFile: string
  /** Variables that point every AWS client at the embedded services, with the access keys that those require. */
  readonly environment: Readonly<Record<string, string>>
}

/** What everybody on this machine may know about a running `npm start`. */
export interface PublicInstance {
  /** ISO 8601. */
  readonly startedAt: string
  readonly platform: 'stand-in' | 'real'
  readonly baseUrl: string
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
export async function findLocalInstance(path: string): Promise<LocalInstance> {
  const instance = await readInstanceFile(path)
  if (!instance) throw new CommandError(`npm start is not running: ${path} was not found.`, { fix: start })
  // Another program may have taken the port since.
  if ((await startedAt(instance.apiUrl)) === instance.startedAt) return instance
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
async function startedAt(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url + publicInstancePath, { signal: AbortSignal.timeout(timeLimitMs) })
    return response.ok ? ((await response.json()) as Partial<PublicInstance>).startedAt : undefined
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
