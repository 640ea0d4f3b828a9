import { forHttpEvents } from '../http/event.ts'
import { areas } from '../platform/areas.ts'
import { lazy } from '../runtime/lazy.ts'
import { environment, readSettings, required } from '../runtime/settings.ts'
import { createUpstream } from '../upstream/client.ts'
import { credentialsFromSecretsManager } from '../upstream/credentials.aws.ts'
import { once } from './idempotency/with-idempotency.ts'
import { createProxy } from './proxy.ts'

const { upstream: settings, validation } = readSettings()
const credentials = credentialsFromSecretsManager(areas)

// Started while the function initialises, when nobody waits yet. Whoever needs a secret hears why it failed.
for (const area of areas) credentials.get(area).catch(() => undefined)

// Few requests have a key: the table's client is loaded with the first.
const answers = lazy(async () =>
  (await import('./idempotency/answers.aws.ts')).createAnswerStore(required(environment.table)),
)

const proxy = createProxy({
  settings,
  validation,
  upstream: createUpstream({ settings, credentials }),
  withIdempotency: async (key, perform) => once(await answers(), key, perform),
})

export const handler = forHttpEvents(proxy)
