import type { FoundProblem } from '../../functions/problems/problem.ts'
import { problemOf } from '../../functions/problems/problems.ts'
import { areasOfSecret, type ServedAreas } from '../access/check.ts'
import type { SecretStore } from '../aws/secrets.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'

/** Credentials that nobody can use as they are. Nothing shows since when. */
export function credentialsProblem({ areas, isAll }: ServedAreas, evidence: string): FoundProblem {
  // A secret that not all areas share is selected by one of its areas.
  const area = isAll ? 'all' : (areas[0] ?? 'all')
  const found = {
    level: 'problem',
    since: null,
    evidence,
    action: 'Store valid credentials.',
    step: { kind: 'set-credentials', area },
  } as const
  return problemOf('credentials', found)
}

export const unsetCredentials = (of: ServedAreas): FoundProblem =>
  credentialsProblem(of, `Credentials for ${of.areas.join(', ')} are not set.`)

/**
 * What prevents the first syncs, without reading a secret. A secret of Longshore's own is created with a placeholder.
 * Empty if they cannot be described.
 */
export async function findUnsetCredentials(
  { configuration, secretIds }: Pick<Deployment, 'configuration' | 'secretIds'>,
  secrets: Pick<SecretStore, 'wasReplaced'>,
): Promise<FoundProblem[]> {
  const own = Object.entries(secretIds).filter(([area]) => configuration.credentials[area] === undefined)
  const ids = [...new Set(own.map(([, id]) => id))]
  const found = ids.map(async (id) =>
    (await secrets.wasReplaced(id).catch(() => true)) ? [] : [unsetCredentials(areasOfSecret(secretIds, id))],
  )
  return (await Promise.all(found)).flat()
}
