/** Why something that is stored stays. */
export type ReasonKind =
  /** Where readers start. */
  | 'pointer'
  | 'in-progress'
  /** The snapshot that readers have, and the previous one, which they may still be reading. */
  | 'published'
  | 'previous'
  | 'keep-snapshots'
  /** The next comparison starts from it, or a comparison in progress may make it the tip. */
  | 'chain-snapshot'
  | 'comparison'
  /** A person can review and accept it. */
  | 'refused'
  /** The sets that can be read, what the state of the tip needs, and objects whose links were just issued. */
  | 'listed'
  | 'tip'
  | 'links'
  /** The table consists of it, Glue still names it, or a query that uses it may have begun before it was dropped. */
  | 'table'
  | 'in-glue'
  | 'query'
  /** What a run has done can be looked up, and is proof of what it published. */
  | 'record'
  /** It was deleted or overwritten, and can be restored for some days. */
  | 'old-version'

/** `until`: epoch milliseconds; undefined if not time ends it, but what happens next, such as a publication. */
export interface Reason {
  readonly kind: ReasonKind
  readonly until: number | undefined
}

/** No time ends it. */
export const always = (kind: ReasonKind): Reason => ({ kind, until: undefined })

/** The keys of what nothing needs. */
export const withoutReason = (reasons: Iterable<readonly [key: string, own: readonly Reason[]]>): string[] =>
  [...reasons].flatMap(([key, own]) => (own.length === 0 ? [key] : []))

/** Undefined if one of the reasons does not end with time. Without reasons, nothing needs it. */
export const lastEnd = (reasons: readonly Reason[]): number | undefined =>
  reasons.reduce<number | undefined>(
    (last, { until }) => (last === undefined || until === undefined ? undefined : Math.max(last, until)),
    0,
  )
