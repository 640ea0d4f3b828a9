import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { Progress } from '../pages/page.ts'

/** What a run is in every state. Times are ISO 8601 in UTC. */
export interface RunCore {
  readonly runId: string
  readonly entity: string
  readonly startedAt: string
  readonly updatedAt: string
  /** ARN of the state machine's execution; undefined if the worker is invoked directly. */
  readonly execution: string | undefined
  /** Counts the writes of the item. A write takes effect only if its writer has read the write before it. */
  readonly revision: number
  /** Requests to the platform, and the bytes of the responses. What a crashed worker counted is missing. */
  readonly requests: number
  readonly receivedBytes: number
  /** Requests that returned no page, by status or kind of failure. */
  readonly faults: Readonly<Record<string, number>>
}

/** What is known of a run that has ended. */
export interface RunEnding extends Progress {
  readonly endedAt: string
}

export interface RunStart {
  readonly runId: string
  readonly entity: EntitySettings
  readonly execution: string | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

export function newCore({ runId, entity, execution, now }: RunStart) {
  const time = new Date(now).toISOString()
  return {
    runId,
    entity: entity.name,
    status: 'running' as const,
    startedAt: time,
    updatedAt: time,
    execution,
    worker: undefined,
    revision: 0,
    requests: 0,
    receivedBytes: 0,
    faults: {},
  }
}
