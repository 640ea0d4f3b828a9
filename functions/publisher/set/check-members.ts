import { isDeepStrictEqual } from 'node:util'
import { setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../../stored/changes/changes.ts'
import type { Proposal } from '../../../stored/changes/proposal.ts'
import { Damaged } from '../check/damage.ts'

type Member = SetManifest extends infer Set ? (Set extends SetManifest ? keyof Set : never) : never

/** Compares members of a proposal with what they must be. Throws `Damaged`. */
export function checkMembers(
  proposal: Proposal | SetManifest,
  expected: { readonly [Name in Member]?: unknown },
): void {
  for (const [name, value] of Object.entries(expected)) {
    const proposed: unknown = Reflect.get(proposal, name)
    if (isDeepStrictEqual(proposed, value)) continue
    const key = setManifestKey(proposal.entity, proposal.runId)
    throw new Damaged(
      `${key} would have ${name} ${JSON.stringify(proposed)}; it must be ${JSON.stringify(value)}.`,
    )
  }
}
