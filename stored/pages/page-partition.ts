/** An attempt of a run's scroll, or of the scroll of one of its ranges. */
export interface AttemptId {
  readonly runId: string
  /** Number of the range; undefined if the entity is scrolled without partitions. */
  readonly range?: number
  readonly attempt: number
}

/** The partition of an attempt's items. */
export const pagePartition = ({ runId, range, attempt }: AttemptId) =>
  range === undefined ? `run#${runId}#a${attempt}` : `run#${runId}#r${range}#a${attempt}`

/** That of an attempt of 1.0.0, which would take items without fingerprints for pages without documents. */
export const oldPagePartition = ({ runId, range, attempt }: AttemptId) =>
  range === undefined ? `run#${runId}#${attempt}` : `run#${runId}#r${range}#${attempt}`
