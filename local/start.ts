import { once } from 'node:events'
import { ConfigurationError, loadConfig } from '../lib/config.ts'
import { type Arguments, ArgumentsError, help, readArguments } from './arguments.ts'
import { type Bundle, startBundle } from './bundle.ts'
import { show } from './demo.ts'
import { startExampleShop } from './example-shop.ts'
import { print, say } from './output.ts'

/** `npm start`: the bundle on this machine, its main job shown, then served until Ctrl-C. */
async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2), process.env)
  if (given.help) {
    print(help)
    return 0
  }
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const { bundle, close } = await start(given)
  const entity = bundle.settings.entities[0]?.name
  const shown = show({ bundle, entity, isRealPlatform: given.upstream !== undefined })
  const isWhole = await Promise.race([shown, stopped.then(() => undefined)])
  if (!given.once && isWhole !== undefined) {
    say.serving(bundle)
    await stopped
  }
  await close({ keepLog: isWhole === false })
  return isWhole ? 0 : 1
}

type Close = Bundle['close']

/** The bundle before the platform that was asked for: a real one, or the stand-in. */
async function start(given: Arguments): Promise<{ bundle: Bundle; close: Close }> {
  const configuration = await loadConfig(given.config)
  if (given.upstream) {
    const { baseUrl, credentials } = given.upstream
    const bundle = await startBundle({ configuration, baseUrl, credentials })
    say.started(bundle, baseUrl)
    return { bundle, close: (options) => bundle.close(options) }
  }
  const { platform, credentials, contents } = await startExampleShop(configuration)
  const bundle = await startBundle({ configuration, baseUrl: platform.url, credentials })
  say.started(bundle, `${platform.url}  stand-in with ${contents}`)
  return {
    bundle,
    close: async (options) => {
      await bundle.close(options)
      await platform.close()
    },
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof ConfigurationError || error instanceof ArgumentsError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
// A run that is cut off leaves timers behind (retries, the execution's time limit); nobody waits for them.
process.exit()
