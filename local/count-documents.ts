import { formatDocuments } from '../functions/runtime/format.ts'
import type { CredentialsSource } from '../functions/upstream/credential-cache.ts'
import { type Configuration, settingsOf } from '../lib/config.ts'
import { measuredSearch } from '../operator/partitions/measured-search.ts'
import { silentReporter } from '../operator/reporter.ts'
import type { ChosenPlatform } from './arguments.ts'

export type RealPlatform = Extract<ChosenPlatform, { readonly kind: 'real' }>

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
