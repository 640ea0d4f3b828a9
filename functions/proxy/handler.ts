import { areas, environment, readSettings, required } from '../environment.ts'
import { forHttpEvents } from '../http/http-event.ts'
import { createUpstream } from '../upstream/client.ts'
import { credentialsFromSecretsManager } from '../upstream/credentials.ts'
import { createProxy, type PerformOnce } from './proxy.ts'

const { upstream: settings, validation } = readSettings()
const credentials = credentialsFromSecretsManager(areas)

// Started while the function initialises, when nobody waits yet. Whoever needs a secret hears why it failed.
for (const area of areas) credentials.get(area).catch(() => undefined)

let answers: Promise<PerformOnce> | undefined

/** Few requests have a key: the table's client is loaded with the first. */
const loadPerformOnce = async (): Promise<PerformOnce> => {
  const [{ once }, { createAnswerStore }] = await Promise.all([
    import('./idempotency/once.ts'),
    import('./idempotency/answer-store.ts'),
  ])
  const store = createAnswerStore(required(environment.table))
  return (key, perform) => once(store, key, perform)
}

const proxy = createProxy({
  settings,
  validation,
  upstream: createUpstream({ settings, credentials }),
  performOnce: async (key, perform) => {
    answers ??= loadPerformOnce()
    return (await answers)(key, perform)
  },
})

export const handler = forHttpEvents(proxy)
