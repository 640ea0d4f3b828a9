import { randomUUID } from 'node:crypto'
import type { Operations } from './aws-json-server.ts'

export interface RecordedEvent {
  readonly source: string
  readonly detailType: string
  readonly detail: unknown
}

interface Entry {
  readonly Source?: string
  readonly DetailType?: string
  readonly Detail?: string
}

/** EventBridge that records events and has no rules. */
export function createEventBus() {
  /** Oldest first. */
  const events: RecordedEvent[] = []
  return {
    events,
    operations: {
      'AWSEvents.PutEvents': ({ Entries }: { Entries: Entry[] }) => {
        const results = Entries.map(record)
        return { FailedEntryCount: results.filter(({ EventId }) => !EventId).length, Entries: results }
      },
    } satisfies Operations,
  }

  function record({ Source, DetailType, Detail }: Entry): { EventId?: string; ErrorCode?: string } {
    if (!Source || !DetailType || !Detail) return { ErrorCode: 'InvalidArgument' }
    try {
      events.push({ source: Source, detailType: DetailType, detail: JSON.parse(Detail) })
      return { EventId: randomUUID() }
    } catch {
      return { ErrorCode: 'MalformedDetail' }
    }
  }
}
