import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { clientLimits } from '../runtime/client-limits.ts'
import type { ChangesEvent, SyncEvent } from './events.ts'

/** Puts events on the account's default bus, source `Longshore`. */
export function createEventPublisher(client = new EventBridgeClient(clientLimits.events)) {
  return async ({ type, detail }: SyncEvent | ChangesEvent): Promise<void> => {
    const { FailedEntryCount, Entries } = await client.send(
      new PutEventsCommand({
        Entries: [{ Source: 'Longshore', DetailType: type, Detail: JSON.stringify(detail) }],
      }),
    )
    if (FailedEntryCount) throw new Error(`EventBridge rejected the event: ${Entries?.[0]?.ErrorCode}.`)
  }
}
