import type { IncrementStatus } from '../../../stored/entity-items.ts'
import { hourMs } from '../../runtime/durations.ts'
import type { IncrementEnd } from './end.ts'

/** What is known of an entity's increments after one more. */
export function nextStatus(
  before: IncrementStatus | undefined,
  end: IncrementEnd,
  { runId, now }: { readonly runId: string; readonly now: number },
): IncrementStatus {
  const isPublished = end.status === 'published'
  const window = isPublished ? { from: end.increment.from, to: end.increment.to } : before?.window
  const endedAt = new Date(now).toISOString()
  const added = isPublished ? end.increment.records : 0
  return {
    ...(window && { window }),
    last: { runId, endedAt, ...(isPublished ? { status: 'published', reason: null } : end) },
    ...failuresOf(before, end.status, endedAt),
    records: withRecords(before?.records ?? {}, added, now),
  }
}

/** A skipped increment neither fails nor succeeds. */
function failuresOf(
  before: IncrementStatus | undefined,
  status: IncrementEnd['status'],
  endedAt: string,
): Pick<IncrementStatus, 'failedSince' | 'failures'> {
  if (status === 'published') return {}
  const { failedSince, failures, last } = before ?? {}
  const known = failedSince ?? (last?.status === 'failed' ? last.endedAt : undefined)
  if (known === undefined) return status === 'failed' ? { failedSince: endedAt, failures: 1 } : {}
  const added = status === 'failed' ? 1 : 0
  return { failedSince: known, ...(failures !== undefined && { failures: failures + added }) }
}

/** Adds records to those of the current hour, and forgets the hours before the last day. */
function withRecords(
  hours: IncrementStatus['records'],
  added: number,
  now: number,
): IncrementStatus['records'] {
  const oldest = hourOf(now - 24 * hourMs)
  const kept = Object.fromEntries(Object.entries(hours).filter(([hour]) => hour >= oldest))
  return added === 0 ? kept : { ...kept, [hourOf(now)]: (kept[hourOf(now)] ?? 0) + added }
}

const hourOf = (time: number) => new Date(time).toISOString().slice(0, 'yyyy-mm-ddThh'.length)
