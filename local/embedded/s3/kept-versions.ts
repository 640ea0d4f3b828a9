import { dayMs } from '../../../functions/runtime/durations.ts'
import { oldVersionDays } from '../../../functions/runtime/settings-schema/bucket-retention.ts'
import type { Version } from './journal.ts'

const keptMs = oldVersionDays * dayMs

/** What the lifecycle rules of the bucket keep of all versions, of which those of a key are oldest first. */
export function keptVersions(versions: readonly Version[], now = Date.now()): Version[] {
  return [...Map.groupBy(versions, ({ key }) => key).values()].flatMap((ofKey) => {
    const kept = ofKey.filter((_, index) => now - (ofKey[index + 1]?.writtenAt ?? now) < keptMs)
    return kept.length === 1 && kept[0]?.kind === 'delete-marker' ? [] : kept
  })
}
