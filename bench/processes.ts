import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { environment, settingsFileName } from '../functions/runtime/environment.ts'
import { type ConfigurationInput, resolveConfig, settingsOf } from '../lib/config.ts'
import { bucket, entity, publisher, secret, table } from './names.ts'

type Variables = Readonly<Record<string, string>>

/** A server in its own process, so that the measured process contains nothing else. */
export interface Server<T> extends AsyncDisposable {
  /** The message that it sent when it was ready. */
  readonly ready: T
}

/** Starts `servers/<name>.ts`, which takes `options` as JSON and sends one message when it is ready. */
export async function startServer<T>(name: string, options: object = {}): Promise<Server<T>> {
  const child = start(`servers/${name}.ts`, { arguments: [JSON.stringify(options)] })
  const ready = await firstMessage<T>(child)
  return {
    ready,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

export interface MeasuredProcess {
  readonly arguments?: readonly string[]
  readonly variables?: Variables
  readonly nodeOptions?: readonly string[]
  /** Limits its processor time. */
  readonly share?: CpuShare | undefined
}

/** Runs `measured/<name>.ts` in a new process and returns the figures that it sends. */
export async function measure<T>(name: string, options: MeasuredProcess = {}): Promise<T> {
  const child = start(`measured/${name}.ts`, options)
  const ended = once(child, 'exit')
  const figures = await firstMessage<T>(child)
  await ended
  return figures
}

function start(file: string, options: MeasuredProcess): ChildProcess {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [...(options.arguments ?? [])], {
    env: { ...process.env, ...options.variables },
    execArgv: [...(options.nodeOptions ?? [])],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  if (child.pid) options.share?.add(child.pid)
  return child
}

async function firstMessage<T>(child: ChildProcess): Promise<T> {
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with code ${code} before it reported.`)
  })
  const [message] = (await Promise.race([once(child, 'message'), failed])) as [T]
  failed.catch(() => undefined)
  return message
}

/** Limits processes to a share of a processor with a CFS quota of the kernel, as Lambda does. */
export interface CpuShare extends Disposable {
  add(pid: number): void
}

/** With 1,769 MB a Lambda function has one vCPU (AWS Lambda developer guide, "Configure Lambda function memory"). */
const megabytesOfOneProcessor = 1_769
const periodMicroseconds = 20_000

/** The share of a memory size on Lambda. Undefined if this user cannot create a cpu cgroup. */
export function cpuShareOf(memoryMegabytes: number): CpuShare | undefined {
  const quota = Math.round((memoryMegabytes / megabytesOfOneProcessor) * periodMicroseconds)
  const name = `longshore-bench-${process.pid}-${memoryMegabytes}`
  try {
    const version1 = existsSync('/sys/fs/cgroup/cpu/cgroup.procs')
    const folder = join(version1 ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup', name)
    mkdirSync(folder)
    if (version1) {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodMicroseconds))
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota))
    } else writeFileSync(join(folder, 'cpu.max'), `${quota} ${periodMicroseconds}`)
    return {
      add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
      // After the processes have ended.
      [Symbol.dispose]: () => rmdirSync(folder),
    }
  } catch {
    return undefined
  }
}

interface Measured {
  /** Of the one entity. */
  readonly ranges?: number | undefined
  readonly entities?: ConfigurationInput['entities']
  readonly more?: Partial<ConfigurationInput>
}

const measuredEntity = (ranges: number | undefined) => ({
  name: entity,
  schedule: 'rate(1 day)',
  ...(ranges && { partitions: { by: 'createdIn' as const, count: ranges } }),
})

/** The settings file and the environment variables of a deployed function. */
export function functionEnvironment(
  baseUrl: string,
  aws: Readonly<Record<string, string>>,
  { ranges, entities = [measuredEntity(ranges)], more }: Measured = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-bench-'))
  const configuration = resolveConfig({
    upstream: { baseUrl },
    entities,
    // The documents without a date are one more range.
    maxConcurrentScrolls: Math.min(10, (ranges ?? 1) + 1),
    stepSeconds: 840,
    ...more,
  })
  writeFileSync(join(folder, settingsFileName), JSON.stringify(settingsOf(configuration)))
  return {
    variables: {
      ...aws,
      LAMBDA_TASK_ROOT: folder,
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      [environment.table]: table,
      [environment.bucket]: bucket,
      [environment.stateMachine]: 'arn:aws:states:us-east-1:000000000000:stateMachine:bench',
      [environment.publisher]: publisher,
      ...Object.fromEntries(Object.values(environment.credentials).map((variable) => [variable, secret])),
    } as Record<string, string>,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
