import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'

export type SyncEvent =
  | {
      readonly type: 'Snapshot Published'
      readonly detail: { entity: string; runId: string; documents: number; proof: string; manifest: string }
    }
  | {
      readonly type: 'Snapshot Refused' | 'Sync Failed'
      readonly detail: { entity: string; runId: string; reason: string }
    }

export type PublishEvent = (event: SyncEvent) => Promise<void>

/** Puts events on the account's default bus, source `Longshore`. */
export function createEventPublisher(client = new EventBridgeClient({})): PublishEvent {
  return async ({ type, detail }) => {
    const { FailedEntryCount, Entries } = await client.send(
      new PutEventsCommand({
        Entries: [{ Source: 'Longshore', DetailType: type, Detail: JSON.stringify(detail) }],
      }),
    )
    if (FailedEntryCount) throw new Error(`EventBridge did not take the event: ${Entries?.[0]?.ErrorCode}`)
  }
}
