import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { clientLimits } from '../functions/runtime/client-limits.ts'
import type { EventOrigin, ProblemEvent, PublishedDetail, PublishedEvent } from './events.ts'

/** Puts events of a deployment on the account's default bus, source `Longshore`. */
export function createEventPublisher(
  origin: EventOrigin,
  client = new EventBridgeClient(clientLimits.events),
) {
  return async ({ type, detail }: PublishedEvent | ProblemEvent): Promise<void> => {
    const published: PublishedDetail = { ...detail, ...origin }
    const { FailedEntryCount, Entries } = await client.send(
      new PutEventsCommand({
        Entries: [{ Source: 'Longshore', DetailType: type, Detail: JSON.stringify(published) }],
      }),
    )
    if (FailedEntryCount) throw new Error(`EventBridge rejected the event: ${Entries?.[0]?.ErrorCode}.`)
  }
}
