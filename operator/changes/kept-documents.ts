import { formatDocuments, formatMinute } from '../../functions/runtime/format.ts'
import type { KeptByDelivery, SetManifest } from '../../stored/changes/changes.ts'

/** What readers keep although the snapshot does not have it, why, and until when; empty after an increment or a reset. */
export function keptTexts(set: SetManifest): string[] {
  if (set.kind !== 'changes') return []
  const { withheld, held = 0, withheldParts, keptByDelivery } = set
  const parts = withheldParts.filter(({ delivered }) => delivered)
  const inParts = parts.reduce((sum, { records }) => sum + records, -held)
  const delivered = keptByDelivery?.withheld ?? Math.max(0, inParts)
  const unproven = withheld - delivered
  const late = `delivered ${keptByDelivery ? `less than ${keptByDelivery.lagMinutes} minutes` : 'shortly'} before the snapshot: ${decidesText(keptByDelivery)}`
  const texts: readonly [count: number, text: string][] = [
    [
      unproven,
      `Withheld: ${formatDocuments(unproven)} missing from the snapshot without proof of their deletion. Readers keep them until an exact snapshot, or a second one in a row, lacks them too.`,
    ],
    [
      delivered,
      `Withheld: ${formatDocuments(delivered)} missing from the snapshot, which an increment ${late}`,
    ],
    [
      held,
      `Held: ${formatDocuments(held)} of which the snapshot has an older version than an increment ${late}`,
    ],
  ]
  return texts.filter(([count]) => count > 0).map(([, text]) => text)
}

function decidesText(kept: KeptByDelivery | undefined): string {
  if (!kept) return 'a snapshot that begins 60 minutes later, or lookbackMinutes if that is longer, decides.'
  const minute = new Date(Math.ceil(Date.parse(kept.decidedFrom) / 60_000) * 60_000).toISOString()
  return `a snapshot that begins after ${formatMinute(minute)} decides. Readers keep what they have until then.`
}
