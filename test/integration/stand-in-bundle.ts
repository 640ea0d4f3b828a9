import type { Configuration } from '../../lib/config.ts'
import { type Bundle, startBundle } from '../../local/bundle.ts'
import { localCredentials, type Platform } from '../../local/stand-in/platform.ts'

/** The whole bundle as `npm start` runs it, on a free port and with this stand-in platform. */
export const startStandInBundle = (configuration: Configuration, platform: Platform): Promise<Bundle> =>
  startBundle({
    configuration,
    baseUrl: platform.url,
    credentials: localCredentials,
    port: { kind: 'exactly', port: 0 },
    folders: undefined,
    platform: 'stand-in',
    worker: 'in-process',
  })
