import { createInterface } from 'node:readline'
import { formatDocuments } from '../functions/runtime/format.ts'
import type { CredentialsSource } from '../functions/upstream/credential-cache.ts'
import { type Configuration, settingsOf } from '../lib/config.ts'
import { UsageError } from '../operator/errors.ts'
import { measuredSearch } from '../operator/partitions/measured-search.ts'
import { silentReporter } from '../operator/reporter.ts'
import type { ChosenPlatform } from './arguments.ts'
import { isLoopbackHost } from './loopback.ts'

type RealPlatform = Extract<ChosenPlatform, { readonly kind: 'real' }>

export interface FirstRead {
  readonly configuration: Configuration
  readonly platform: RealPlatform
  /** Whether it was agreed to before. */
  readonly isAgreed: boolean
  /** Asks on the terminal; undefined without one. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined
}

/**
 * Whether the first entity of a platform may be read as a whole: looks how many documents it has, and asks. A platform
 * on this machine is not asked for. Throws `UsageError` without a terminal.
 */
export async function mayReadFirst({ configuration, platform, isAgreed, ask }: FirstRead): Promise<boolean> {
  const [entity] = configuration.entities
  if (isAgreed || !entity || isLoopbackHost(new URL(platform.baseUrl).host)) return true
  const found = await countText(configuration, platform)
  if (ask) return ask(`${found} Sync it now? (y/N) `)
  throw new UsageError(
    `--upstream: ${found} Without a terminal, npm start does not ask: add --yes to read them.`,
  )
}

const searchMs = 30_000

/** `CL has 2,400,000 documents.`, or why that is not known. */
export async function countText(
  configuration: Configuration,
  { baseUrl, credentials: { appKey, appToken } }: RealPlatform,
): Promise<string> {
  const own = settingsOf(configuration)
  const settings = { ...own, upstream: { ...own.upstream, baseUrl } }
  const [entity] = settings.entities
  if (!entity) return ''
  const credentials: CredentialsSource = {
    get: async () => ({ appKey, appToken, version: 'given' }),
    renew: async () => undefined,
  }
  const progress = silentReporter.progress('')
  const signal = AbortSignal.timeout(searchMs)
  const { search } = measuredSearch({ settings, credentials, progress, signal }, entity, entity.idField)
  try {
    return `${entity.name} has ${formatDocuments((await search({})).total)}.`
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
    return `How many documents ${entity.name} has is not known: ${reason}.`
  }
}

/** Yes only if it is typed. Ctrl-C is passed on. */
export function askOnTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  return new Promise((resolve) => {
    terminal.once('SIGINT', () => {
      terminal.close()
      process.kill(process.pid, 'SIGINT')
    })
    terminal.once('close', () => resolve(false))
    terminal.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()))
      terminal.close()
    })
  })
}
