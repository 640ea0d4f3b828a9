import type { KeptData } from '../../operator/retention/retention.ts'

/** A paragraph for each thing that is kept, below what can be promised. */
export function retentionText(
  entity: string,
  kept: readonly KeptData[],
  eraseWithinDays: number | undefined,
): string {
  const promise =
    eraseWithinDays === undefined
      ? `${entity}: eraseWithinDays is not set, so there is no time limit for the erasure of deleted documents.`
      : `${entity}: what a document contained is gone from the bucket, old versions included, at most ${eraseWithinDays} days after the first published snapshot without it.`
  const paragraphs = kept.map(
    ({ what, where, count, kept: time, why }) =>
      `${what} (${where}${count === null ? '' : `, ${count}`})\n  ${time}\n  Reason: ${why}`,
  )
  return [promise, ...paragraphs].join('\n\n')
}
