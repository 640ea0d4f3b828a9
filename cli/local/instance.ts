import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import type { Configuration } from '../../lib/config.ts'
import { CommandError } from '../shell/errors.ts'
import type { LocalAddress } from './address.ts'

/** A running `npm start`, as it describes itself at `instancePath`. */
export interface LocalInstance {
  readonly pid: number
  /** ISO 8601. */
  readonly startedAt: string
  readonly apiUrl: string
  /** With the platform that is used. */
  readonly configuration: Configuration
  readonly platform: 'stand-in' | 'real'
  readonly bucket: string
  readonly table: string
  readonly stateMachineArn: string
  /** The secret of all areas. */
  readonly secretId: string
  /** The functions' log, one JSON object per line. */
  readonly logFile: string
  /** Variables that point every AWS client at the embedded services. */
  readonly environment: Readonly<Record<string, string>>
}

/** Path on the local gateway. */
export const instancePath = '/local.json'

/** What `npm start` writes to the project, so that commands find it. */
export const instanceFileSchema = v.object({ pid: v.number(), startedAt: v.string(), url: v.string() })
export type InstanceFile = v.InferOutput<typeof instanceFileSchema>

const timeLimitMs = 5_000
const start = 'start it in another terminal: npm start'

/** Throws `CommandError` unless `npm start` runs there. */
export async function findLocalInstance(address: LocalAddress): Promise<LocalInstance> {
  if (address.kind === 'url') {
    const instance = await describedAt(address.url)
    if (instance) return instance
    throw new CommandError(`No npm start is running at ${address.url}.`, { fix: start })
  }
  const file = await readInstanceFile(address.path)
  if (!file) throw new CommandError(`npm start is not running: ${address.path} not found.`, { fix: start })
  const instance = await describedAt(file.url)
  // Another program may have taken the port since.
  if (instance?.startedAt === file.startedAt) return instance
  throw new CommandError(`npm start is not running. The one started at ${file.startedAt} has ended.`, {
    fix: start,
  })
}

/** Undefined if the file does not exist. Throws `CommandError` if `npm start` did not write it. */
async function readInstanceFile(path: string): Promise<InstanceFile | undefined> {
  try {
    return v.parse(instanceFileSchema, JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CommandError(`${path} is not a file of npm start.`, {
      fix: 'set LONGSHORE_LOCAL to 1, or to the path or URL of a running npm start',
      cause: error,
    })
  }
}

/** Undefined if nothing answers at the URL, or another program. */
async function describedAt(url: string): Promise<LocalInstance | undefined> {
  try {
    const response = await fetch(url + instancePath, { signal: AbortSignal.timeout(timeLimitMs) })
    const answer = response.ok ? ((await response.json()) as Partial<LocalInstance>) : {}
    return answer.stateMachineArn === undefined ? undefined : (answer as LocalInstance)
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
