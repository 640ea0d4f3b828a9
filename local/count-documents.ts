import { setTimeout as sleep } from 'node:timers/promises'
import { formatDocuments } from '../functions/runtime/format.ts'
import { createUpstream } from '../functions/upstream/client.ts'
import { type Configuration, settingsOf } from '../lib/config.ts'
import { givenCredentials } from '../operator/access/given.ts'
import { searchOne, searchRequest } from '../stored/partitions/search.ts'
import type { ChosenPlatform } from './arguments.ts'

export type RealPlatform = Extract<ChosenPlatform, { readonly kind: 'real' }>

const searchMs = 30_000

/** `CL has 2,400,000 documents.`, or why that is not known. */
export async function countText(
  configuration: Configuration,
  { baseUrl, credentials }: RealPlatform,
): Promise<string> {
  const own = settingsOf(configuration)
  const settings = { ...own.upstream, baseUrl }
  const [entity] = own.entities
  if (!entity) return ''
  const upstream = createUpstream({ settings, credentials: givenCredentials(credentials) })
  const io = {
    now: Date.now,
    random: Math.random,
    redact: (text: string) => upstream.redact(text),
    deadline: Date.now() + searchMs,
    sleep: (ms: number) => sleep(ms),
    request: (target: string, headers: Readonly<Record<string, string>>) =>
      upstream.send(searchRequest(target, headers, searchMs)),
  }
  const { name, query, idField } = entity
  const target = { searchPath: settings.searchPath, entity: name, query }
  try {
    return `${name} has ${formatDocuments((await searchOne(io, target, { by: idField })).total)}.`
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
    return `How many documents ${name} has is not known: ${reason}.`
  }
}
