import { areas, readSettings } from '../environment.ts'
import { createUpstream } from '../upstream/client.ts'
import { credentialsFromSecretsManager } from '../upstream/credentials.ts'
import { createProxy } from './proxy.ts'

const { upstream: settings } = readSettings()
const credentials = credentialsFromSecretsManager()

// Started while the function initialises, when nobody waits yet. Whoever needs a secret hears why it failed.
for (const area of areas) credentials.get(area).catch(() => undefined)

export const handler = createProxy({ settings, upstream: createUpstream({ settings, credentials }) })
