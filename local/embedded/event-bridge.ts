import { randomUUID } from 'node:crypto'
import type { AwsInput, Operations } from './aws-json-server.ts'

export interface RecordedEvent {
  readonly source: string
  readonly detailType: string
  readonly detail: unknown
}

/** EventBridge that records events and has no rules. */
export function createEventBus() {
  /** Oldest first. */
  const events: RecordedEvent[] = []
  return {
    events,
    operations: {
      'AWSEvents.PutEvents': ({ Entries }: { Entries: AwsInput[] }) => {
        const results = Entries.map(record)
        return { FailedEntryCount: results.filter(({ EventId }) => !EventId).length, Entries: results }
      },
    } satisfies Operations,
  }

  function record({ Source, DetailType, Detail }: AwsInput): { EventId?: string; ErrorCode?: string } {
    if (!Source || !DetailType || !Detail) return { ErrorCode: 'InvalidArgument' }
    try {
      events.push({ source: Source, detailType: DetailType, detail: JSON.parse(Detail) })
      return { EventId: randomUUID() }
    } catch {
      return { ErrorCode: 'MalformedDetail' }
    }
  }
}
