import { once } from 'node:events'
import { reachPlatform } from '../cli/doctor/credential-check.ts'
import { localVariable } from '../cli/local/address.ts'
import { UsageError } from '../cli/shell/errors.ts'
import { type Configuration, ConfigurationError, loadConfig, settingsOf } from '../lib/config.ts'
import { type Arguments, ArgumentsError, help, readArguments } from './arguments.ts'
import { type Bundle, startBundle } from './bundle.ts'
import { type DemoPlatform, runDemo } from './demo/demo.ts'
import { startExampleShop } from './example-shop.ts'
import { registerInstance } from './instance-file.ts'
import { output, print } from './output.ts'

/** `npm start`: starts the bundle on this machine, runs the demo, then serves until Ctrl-C. */
async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2), process.env)
  if (given.help) {
    print(help)
    return 0
  }
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const { bundle, platform, close } = await start(given)
  const registration = given.once
    ? undefined
    : await registerInstance(bundle.instance, process.env[localVariable])
  const entity = bundle.settings.entities[0]?.name
  const demo = runDemo({ bundle, entity, platform })
  const succeeded = await Promise.race([demo, stopped.then(() => undefined)])
  if (!given.once && succeeded !== undefined) {
    output.serving(bundle, registration?.kind === 'registered' ? '--local' : 'other-instance')
    await stopped
  }
  if (registration?.kind === 'registered') registration.remove()
  await close(succeeded === false ? 'keep-log' : 'delete-log')
  return succeeded ? 0 : 1
}

type Close = Bundle['close']

/** Starts the bundle with a real platform or with the stand-in. */
async function start(given: Arguments): Promise<{ bundle: Bundle; platform: DemoPlatform; close: Close }> {
  const { port } = given
  const configuration = withPartitions(await loadConfig(given.config), given.partitions)
  if (given.upstream) {
    const { baseUrl, credentials } = given.upstream
    await requireReachable(configuration, baseUrl)
    const bundle = await startBundle({ configuration, baseUrl, credentials, port })
    output.started(bundle, baseUrl)
    return { bundle, platform: { kind: 'real' }, close: (log) => bundle.close(log) }
  }
  const { platform, credentials, contents, change } = await startExampleShop(configuration)
  const bundle = await startBundle({ configuration, baseUrl: platform.url, credentials, port })
  output.started(bundle, `${platform.url}  stand-in with ${contents}`)
  return {
    bundle,
    platform: { kind: 'stand-in', change },
    close: async (log) => {
      await bundle.close(log)
      await platform.close()
    },
  }
}

/** Throws `ArgumentsError` if no connection to the platform can be made. */
async function requireReachable(configuration: Configuration, baseUrl: string): Promise<void> {
  const settings = settingsOf(configuration)
  const reached = await reachPlatform({ ...settings, upstream: { ...settings.upstream, baseUrl } })
  if ('status' in reached) return
  throw new ArgumentsError(
    `--upstream: cannot reach the platform: ${reached.failure}. Check the address and the network.`,
  )
}

/** The configuration with this number of ranges for its first entity. */
function withPartitions(configuration: Configuration, count: number | undefined): Configuration {
  const [first, ...others] = configuration.entities
  if (count === undefined || !first) return configuration
  const by = first.partitions?.by ?? 'createdIn'
  return { ...configuration, entities: [{ ...first, partitions: { by, count } }, ...others] }
}

try {
  process.exitCode = await main()
} catch (error) {
  const isMistake = [ConfigurationError, ArgumentsError, UsageError].some((type) => error instanceof type)
  if (!(isMistake && error instanceof Error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
// An interrupted run leaves timers (retries, waits) that would keep the process alive.
process.exit()
