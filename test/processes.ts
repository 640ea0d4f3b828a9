import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CleanUp } from './clean-up.ts'

export interface Command {
  readonly file: string
  readonly arguments: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The working directory; by default that of this process. */
  readonly folder?: string
  readonly timeoutSeconds?: number
}

/** Runs a command and returns its output. Throws with the output if it fails or times out. */
export async function run(command: Command, cleanUp: Pick<CleanUp, 'add'>): Promise<string> {
  const child = spawn(command.file, command.arguments, {
    env: { ...process.env, ...command.environment },
    cwd: command.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let over = false
  cleanUp.add(() => (over ? undefined : endGroup(child)))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const { timeoutSeconds = 300 } = command
  const timer = setTimeout(() => void endGroup(child), timeoutSeconds * 1000)
  const ended = await new Promise<string>((done) => {
    child.once('error', (error) => done(error.message))
    child.once('close', (code, signal) => done(String(signal ?? code)))
  })
  clearTimeout(timer)
  over = true
  if (ended === '0') return printed
  const line = [command.file, ...command.arguments].join(' ')
  throw new Error(`${line} ended with ${ended}:\n${printed.trim().split('\n').slice(-40).join('\n')}`)
}

/** Starts a command in its own process group, so that its children can be ended with it. */
export function startInBackground(command: Command, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a')
  const child = spawn(command.file, command.arguments, {
    env: { ...process.env, ...command.environment },
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  return child
}

/** Ends a process group: SIGTERM, and SIGKILL after two seconds. */
export async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return
  signalGroup(child.pid, 'SIGTERM')
  const deadline = Date.now() + 2_000
  while (signalGroup(child.pid, 0) && Date.now() < deadline) await sleep(50)
  signalGroup(child.pid, 'SIGKILL')
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

/** A PATH whose first `node` is the one of this process. */
export function pathWithOurNode(): string {
  return [dirname(process.execPath), process.env['PATH']].join(delimiter)
}

/** Child processes whose command line contains a text. */
export async function childrenOf(parent: number, text: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,args='], { maxBuffer: 1 << 24 })
  return stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((found) => Number(found?.[2]) === parent && found?.[3]?.includes(text))
    .map((found) => Number(found?.[1]))
}

/** Kills the emulator's processes of a function with SIGKILL, as Lambda does. Returns their number. */
export async function killFunction(emulatorPid: number, functionName: string): Promise<number> {
  const pids = await childrenOf(emulatorPid, `ministack-lambda-${functionName}-`)
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  return pids.length
}

/** Reads environment variables of a running process. */
export async function variablesOf(pid: number): Promise<(name: string) => string> {
  const { stdout } = await promisify(execFile)('ps', ['eww', '-o', 'command=', '-p', String(pid)])
  return (name) => new RegExp(` ${name}=(\\S+)`).exec(stdout)?.[1] ?? ''
}
