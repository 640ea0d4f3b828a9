import { areas, environment, readSettings, required } from '../environment.ts'
import { forHttpEvents } from '../http/http-event.ts'
import { createUpstream } from '../upstream/client.ts'
import { credentialsFromSecretsManager } from '../upstream/credentials.ts'
import type { AnswerStore } from './idempotency/answer-store.ts'
import { once } from './idempotency/once.ts'
import { createProxy } from './proxy.ts'

const { upstream: settings, validation } = readSettings()
const credentials = credentialsFromSecretsManager(areas)

// Started while the function initialises, when nobody waits yet. Whoever needs a secret hears why it failed.
for (const area of areas) credentials.get(area).catch(() => undefined)

let answers: Promise<AnswerStore> | undefined

/** Few requests have a key: the table's client is loaded with the first. */
const loadAnswers = async (): Promise<AnswerStore> => {
  const { createAnswerStore } = await import('./idempotency/answer-store.ts')
  return createAnswerStore(required(environment.table))
}

const proxy = createProxy({
  settings,
  validation,
  upstream: createUpstream({ settings, credentials }),
  performOnce: async (key, perform) => {
    answers ??= loadAnswers()
    return once(await answers, key, perform)
  },
})

export const handler = forHttpEvents(proxy)
