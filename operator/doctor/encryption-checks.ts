import { listed } from '../../functions/problems/data-problems.ts'
import { plural } from '../../functions/runtime/format.ts'
import type { ConfiguredKeys, EncryptionFact } from './facts.ts'
import { type Checked, type FixCommands, ok, problem } from './finding.ts'

/** Names the keys of stored objects that no function, reader or operator may use. */
export function encryptionChecks(
  objects: readonly EncryptionFact[],
  { encryptionKeyArn, previousEncryptionKeyArns }: ConfiguredKeys,
  { deploy }: Pick<FixCommands, 'deploy'>,
): Checked[] {
  const known = [encryptionKeyArn, ...previousEncryptionKeyArns]
  const byKey = Map.groupBy(objects, ({ kmsKey }) => kmsKey)
  const strange = [...byKey].filter(([key]) => key !== undefined && !known.includes(key))
  if (strange.length === 0)
    return encryptionKeyArn === undefined || objects.length === 0
      ? []
      : [
          ok(
            'encryption',
            `${plural(objects.length, 'stored object')} of a sample can be decrypted with the configured keys.`,
          ),
        ]
  return strange.map(([key, found]) => {
    const entities = [...new Set(found.map(({ entity }) => entity))]
    return problem('encryption-key', {
      evidence: `Stored objects of ${listed(entities)} are encrypted with the key ${key}, which is neither encryptionKeyArn nor in previousEncryptionKeyArns, so nobody may decrypt them: ${plural(found.length, 'object')} of a sample of ${objects.length}, such as ${found[0]?.object}.`,
      action: `Add the key to previousEncryptionKeyArns and deploy (${deploy}). Keep it there, and enabled, as long as such objects are kept.`,
    })
  })
}
