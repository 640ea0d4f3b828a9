import { once } from 'node:events'
import { localCommandLine, longshoreCommandLine } from '../functions/runtime/command-line.ts'
import { type Configuration, ConfigurationError, loadConfig } from '../lib/config.ts'
import { localVariable } from '../operator/deployment/local-address.ts'
import { CommandError, failureOf, Interrupted, UsageError } from '../operator/errors.ts'
import { findFileFailure } from '../operator/file-errors.ts'
import { interrupts, onInterrupt } from '../operator/interrupts.ts'
import { type Arguments, help, readArguments } from './arguments.ts'
import { type Bundle, startBundle } from './bundle.ts'
import { type DataFolder, openDataFolder } from './data-folder.ts'
import { runDemo } from './demo/demo.ts'
import { askOnTerminal, mayReadFirst } from './first-read.ts'
import { registerInstance } from './instance-file.ts'
import { openPlatform } from './open-platform.ts'
import { output, print } from './output.ts'

/** How long what is in progress may delay the end after an interrupt. */
const closeMs = 4_000

/** `npm start`: starts the bundle on this machine, runs the demo, then serves until it is interrupted. */
async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2), process.env)
  if (given.help) {
    print(help)
    return 0
  }
  const interrupt = new AbortController()
  const stopped = once(interrupt.signal, 'abort')
  onInterrupt(() => {
    setTimeout(() => process.exit(1), closeMs).unref()
    interrupt.abort()
  })
  const data = given.data === undefined ? undefined : openDataFolder(given.data)
  try {
    return await serve(given, { data, stopped, interrupted: interrupt.signal })
  } finally {
    data?.release()
  }
}

interface Surroundings {
  readonly data: DataFolder | undefined
  /** Resolved by an interrupt. */
  readonly stopped: Promise<unknown>
  readonly interrupted: AbortSignal
}

async function serve(given: Arguments, { data, stopped, interrupted }: Surroundings): Promise<number> {
  const { bundle, demo, mayRead, close } = await start(given, data)
  const registration = given.once
    ? undefined
    : await registerInstance(bundle.instance, process.env[localVariable])
  // Another npm start may be found by --local. Then commands name the file of this one.
  const commandLine =
    registration?.kind === 'registered'
      ? localCommandLine
      : `LONGSHORE_LOCAL=${bundle.instanceFile} ${longshoreCommandLine}`
  const shown = demo(given.once ? undefined : commandLine, interrupted)
  const ended = await Promise.race([shown, stopped.then(() => undefined)])
  const succeeded = interrupted.aborted ? undefined : ended
  if (!given.once && succeeded !== undefined) {
    if (mayRead) bundle.runSchedules()
    output.serving(bundle, commandLine)
    await stopped
  }
  if (registration?.kind === 'registered') registration.remove()
  await close(succeeded === false ? 'keep-log' : 'delete-log')
  return succeeded ? 0 : 1
}

async function start({ platform: chosen, ...given }: Arguments, data: DataFolder | undefined) {
  const loaded = withPartitions(await loadConfig(given.config, { schedules: 'must-run' }), given.partitions)
  const configuration =
    chosen.kind === 'stand-in' && chosen.like === undefined ? withIncrements(loaded) : loaded
  let bundle: Bundle | undefined
  const isDone = data?.hasState === true && !given.once
  const platform = await openPlatform(chosen, {
    configuration,
    folder: data?.platform,
    killWorker: () => bundle?.killWorker(),
  })
  const { baseUrl, credentials, worker } = platform
  /** Whether entities may be read without a command. */
  const mayRead =
    chosen.kind === 'stand-in' ||
    isDone ||
    (await mayReadFirst({
      configuration,
      platform: chosen,
      isAgreed: given.yes,
      ask: process.stdin.isTTY && process.stdout.isTTY ? (question) => askOnTerminal(question) : undefined,
    }))
  bundle = await startBundle({
    configuration,
    baseUrl,
    platform: platform.demo.kind,
    credentials,
    mail: (subject, text) => output.found(`Mail: ${subject}`, text),
    receivers: given.receivers,
    worker,
    port: given.port,
    folders: data,
  })
  output.started(bundle, platform.description)
  const demo = { bundle, entity: configuration.entities[0]?.name, platform: platform.demo }
  if (!mayRead) output.noted('Nothing is read. Schedules do not run either: start syncs yourself.')
  return {
    bundle,
    mayRead,
    /** Runs the demo, except where an earlier start has run it. False if it failed. */
    demo: async (commandLine: string | undefined, interrupted: AbortSignal) =>
      isDone || !mayRead || runDemo({ ...demo, commandLine }, interrupted),
    close: async (log: Parameters<Bundle['close']>[0]) => {
      await bundle.close(log)
      await platform.close()
    },
  }
}

/** The configuration with this number of ranges for its first entity. */
function withPartitions(configuration: Configuration, count: number | undefined): Configuration {
  const [first, ...others] = configuration.entities
  if (count === undefined || !first) return configuration
  const by = first.partitions?.by ?? 'createdIn'
  return { ...configuration, entities: [{ ...first, partitions: { by, count } }, ...others] }
}

/** The demo shows an increment of the first entity. */
function withIncrements(configuration: Configuration): Configuration {
  const [first, ...others] = configuration.entities
  // With only some fields, they may lack the dates that increments need.
  if (!first || first.changes === false || first.query['_fields'] !== undefined) return configuration
  const increments = first.increments ?? { schedule: 'rate(5 minutes)', lookbackMinutes: 60 }
  return { ...configuration, entities: [{ ...first, increments }, ...others] }
}

const exitCodeOf = { usage: 2, interrupted: interrupts.SIGINT, problem: 1, unknown: 1 } as const

/** Prints what a person can resolve. Every other error is one of ours, and Node shows where it happened. */
function fail(error: unknown): never {
  const isOfPerson = [ConfigurationError, UsageError, CommandError, Interrupted].some(
    (type) => error instanceof type,
  )
  if (!isOfPerson && !findFileFailure(error)) throw error
  const { kind, message, fix } = failureOf(error)
  process.stderr.write(`${message}\n${fix ? `  → ${fix}\n` : ''}`)
  process.exit(exitCodeOf[kind])
}

process.on('uncaughtException', fail)
process.exitCode = await main().catch(fail)
// An interrupted run leaves timers (retries, waits) that would keep the process alive.
process.exit()
