import { readFileSync } from 'node:fs'
import { type Configuration, settingsOf } from '../lib/config.ts'
import { reachPlatform } from '../operator/access/check.ts'
import { UsageError } from '../operator/errors.ts'
import { findFileFailure } from '../operator/file-errors.ts'
import { parseReport } from '../operator/probe/report.ts'
import type { ChosenPlatform } from './arguments.ts'
import type { BundleOptions } from './bundle.ts'
import type { DemoPlatform } from './demo/demo.ts'
import { type FaultProfile, faultProfiles } from './demo/fault-profiles.ts'
import { startExampleShop } from './shop/example-shop.ts'
import { type LikePlatform, platformLike } from './stand-in/like.ts'

/** The platform that the bundle calls: a real one, or the stand-in. */
export interface OpenPlatform extends Pick<BundleOptions, 'baseUrl' | 'credentials' | 'worker'> {
  /** For people. */
  readonly description: string
  readonly demo: DemoPlatform
  close(): Promise<void>
}

export interface PlatformContext {
  readonly configuration: Configuration
  /** Where the data of the stand-in are kept; in memory if undefined. */
  readonly folder: string | undefined
  readonly killWorker: () => void
}

/** Throws `UsageError` if a real platform cannot be reached. */
export async function openPlatform(chosen: ChosenPlatform, context: PlatformContext): Promise<OpenPlatform> {
  const { configuration, folder, killWorker } = context
  if (chosen.kind === 'real') {
    const { baseUrl, credentials } = chosen
    await requireReachable(configuration, baseUrl)
    return {
      baseUrl,
      credentials,
      worker: 'in-process',
      description: baseUrl,
      demo: { kind: 'real' },
      close: async () => undefined,
    }
  }
  const profile: FaultProfile | undefined = chosen.faults && faultProfiles[chosen.faults]
  const rule = profile?.rule?.(killWorker)
  const { platform, credentials, contents, change, lose, close } = await startExampleShop({
    configuration,
    rules: rule ? [{ ...rule, times: Number.POSITIVE_INFINITY }] : [],
    folder,
    like: chosen.like === undefined ? undefined : readLike(chosen.like),
  })
  return {
    baseUrl: platform.url,
    credentials,
    worker: profile?.killsWorker ? 'killable' : 'in-process',
    description: `${platform.url}  stand-in with ${contents}`,
    demo: {
      kind: 'stand-in',
      change,
      watch: profile?.watch,
      lose: profile?.losesDocuments ? lose : undefined,
    },
    close,
  }
}

/** Throws `UsageError` if the file is not the report of a probe. */
function readLike(path: string): LikePlatform {
  try {
    return platformLike(parseReport(readFileSync(path, 'utf8')))
  } catch (cause) {
    const reason = findFileFailure(cause)?.reason ?? (cause as Error).message
    throw new UsageError(
      `--like: ${path} is not a report of a probe: ${reason}. Write one: longshore probe ENTITY --json > FILE.`,
      { cause },
    )
  }
}

async function requireReachable(configuration: Configuration, baseUrl: string): Promise<void> {
  const settings = settingsOf(configuration)
  const reached = await reachPlatform({ ...settings, upstream: { ...settings.upstream, baseUrl } })
  if ('status' in reached) return
  throw new UsageError(
    `--upstream: cannot reach the platform: ${reached.failure}. Check the address and the network.`,
  )
}
