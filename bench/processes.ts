import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { CpuShare } from './cpu-share.ts'

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
