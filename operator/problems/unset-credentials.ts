import { type Area, areas } from '../../functions/platform/areas.ts'
import type { FoundProblem } from '../../functions/problems/problem.ts'
import { problemOf } from '../../functions/problems/problems.ts'
import type { SecretStore } from '../aws/secrets.aws.ts'
import { areasOfSecret } from '../credentials/check.ts'
import type { Deployment } from '../deployment/deployment.ts'

/** Credentials of these areas that nobody can use as they are. Nothing shows since when. */
export function credentialsProblem(of: readonly Area[], evidence: string): FoundProblem {
  // A secret that not all areas share is selected by one of its areas.
  const area = of.length === areas.length ? 'all' : (of[0] ?? 'all')
  const found = {
    level: 'problem',
    since: null,
    evidence,
    action: 'Store valid credentials.',
    step: { kind: 'set-credentials', area },
  } as const
  return problemOf('credentials', found)
}

export const unsetCredentials = (of: readonly Area[]): FoundProblem =>
  credentialsProblem(of, `Credentials for ${of.join(', ')} are not set.`)

/**
 * What prevents the first syncs, without reading a secret. A secret of Longshore's own is created with a placeholder.
 * Empty if they cannot be described.
 */
export async function findUnsetCredentials(
  { configuration, secretIds }: Pick<Deployment, 'configuration' | 'secretIds'>,
  secrets: Pick<SecretStore, 'wasReplaced'>,
): Promise<FoundProblem[]> {
  const own = areas.filter((area) => configuration.credentials[area] === undefined)
  const ids = [...new Set(own.map((area) => secretIds[area]))]
  const found = ids.map(async (id) =>
    (await secrets.wasReplaced(id).catch(() => true)) ? [] : [unsetCredentials(areasOfSecret(secretIds, id))],
  )
  return (await Promise.all(found)).flat()
}
