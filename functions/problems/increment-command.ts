import type { LastIncrement } from '../state/entity-items.ts'

interface Increments {
  readonly entity: string
  readonly last: LastIncrement | null
  /** When the published snapshot was published, in ISO 8601; undefined without one. */
  readonly publishedAt: string | undefined
}

/**
 * Whether the last increment was skipped, and no snapshot has been published since. If increments are skipped for long,
 * a full sync resolves the cause.
 */
export const needsFullSync = ({ last, publishedAt }: Omit<Increments, 'entity'>): boolean =>
  last?.status === 'skipped' && (publishedAt === undefined || publishedAt <= last.endedAt)

const endings = { published: 'succeeded', failed: 'failed', skipped: 'was skipped' } as const

/** `The last increment was skipped: REASON`; undefined if it succeeded, or if there was none. */
export const lastIncrementText = (last: Increments['last']): string | undefined =>
  last?.reason ? `The last increment ${endings[last.status]}: ${last.reason}` : undefined

/** The command line, without the program's name, after which increments succeed again. */
export const incrementCommand = (increments: Increments): string =>
  `sync ${increments.entity}${needsFullSync(increments) ? '' : ' --increment'} --watch`
