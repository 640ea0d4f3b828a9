import { areas, environment, readSettings, required } from '../environment.ts'
import { forHttpEvents } from '../http/http-event.ts'
import { onFirstUse } from '../on-first-use.ts'
import { createUpstream } from '../upstream/client.ts'
import { credentialsFromSecretsManager } from '../upstream/credentials.ts'
import { once } from './idempotency/once.ts'
import { createProxy } from './proxy.ts'

const { upstream: settings, validation } = readSettings()
const credentials = credentialsFromSecretsManager(areas)

// Started while the function initialises, when nobody waits yet. Whoever needs a secret hears why it failed.
for (const area of areas) credentials.get(area).catch(() => undefined)

// Few requests have a key: the table's client is loaded with the first.
const answers = onFirstUse(async () =>
  (await import('./idempotency/answer-store.ts')).createAnswerStore(required(environment.table)),
)

const proxy = createProxy({
  settings,
  validation,
  upstream: createUpstream({ settings, credentials }),
  performOnce: async (key, perform) => once(await answers(), key, perform),
})

export const handler = forHttpEvents(proxy)
