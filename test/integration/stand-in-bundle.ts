import { afterAll, beforeAll } from 'vitest'
import { type Configuration, resolveConfig } from '../../lib/config.ts'
import { type Bundle, type BundleOptions, startBundle } from '../../local/bundle.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { localCredentials, type Platform, startPlatform } from '../../local/stand-in/platform.ts'

/** The whole bundle as `npm start` runs it, on a free port and with this stand-in platform. */
export const startStandInBundle = (
  configuration: Configuration,
  platform: Platform,
  receivers: BundleOptions['receivers'] = [],
): Promise<Bundle> =>
  startBundle({
    configuration,
    baseUrl: platform.url,
    credentials: localCredentials,
    mail: () => undefined,
    receivers,
    port: { kind: 'exactly', port: 0 },
    folders: undefined,
    platform: 'stand-in',
    worker: 'in-process',
  })

/** The bundle for the tests of one file, with an entity of 50 documents. Returns its platform, once it has started. */
export function useStandInBundle(
  entity: { readonly pageSize?: number } = {},
  options: { readonly eraseWithinDays?: number } = {},
): () => Platform {
  let platform: Platform
  let bundle: Bundle
  beforeAll(async () => {
    platform = await startPlatform({ documents: { CL: makeDocuments(50) } })
    const entities = [{ name: 'CL', schedule: 'rate(1 day)', ...entity }]
    const upstream = { baseUrl: 'https://shop.example.com' }
    bundle = await startStandInBundle(resolveConfig({ upstream, entities, ...options }), platform)
  })
  afterAll(async () => {
    await bundle?.close('delete-log')
    await platform?.close()
  })
  return () => platform
}
