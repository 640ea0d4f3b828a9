import { formatDocuments } from '../../functions/runtime/format.ts'
import type { SetManifest } from '../../functions/state/changes/changes.ts'

/** What readers keep although the snapshot does not have it, and why; empty after an increment or a reset. */
export function keptTexts(set: SetManifest): string[] {
  if (set.kind !== 'changes') return []
  const { withheld, held = 0 } = set
  return [
    ...(withheld > 0
      ? [
          `Withheld: ${formatDocuments(withheld)} missing from the snapshot without proof of their deletion. Readers keep them until a second snapshot lacks them too.`,
        ]
      : []),
    ...(held > 0
      ? [
          `Held: ${formatDocuments(held)} of which an increment delivered a newer version than the snapshot has. Readers keep the newer version.`,
        ]
      : []),
  ]
}
