import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import { createEventBus } from '../../local/embedded/event-bridge.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { createEventPublisher } from '../../stored/events.aws.ts'
import type { ChangesEvent, SyncEvent } from '../../stored/events.ts'

const origin = { deployment: 'Shop', bucket: 'shop-snapshots' }
const ids = { entity: 'CL', runId: 'run-2' }
const counts = { created: 1, updated: 2, deleted: 3, withheld: 0, sha256: 'a' }
const bus = createEventBus()

let served: Served
let client: EventBridgeClient
beforeAll(async () => {
  served = await serveAwsJson(bus.operations)
  client = new EventBridgeClient({ ...clientSettings, endpoint: served.endpoint })
})
afterAll(async () => {
  client.destroy()
  await served.close()
})

it.each<SyncEvent | ChangesEvent>([
  {
    type: 'Snapshot Published',
    detail: { ...ids, documents: 3, proof: 'exact', manifest: 'snapshots/CL/run-2/manifest.json' },
  },
  { type: 'Snapshot Refused', detail: { ...ids, reason: 'It is empty.' } },
  { type: 'Sync Failed', detail: { ...ids, reason: 'The platform failed.' } },
  {
    type: 'Changes Published',
    detail: { ...ids, base: 'run-1', kind: 'changes', ...counts, manifest: 'changes/CL/run-2/manifest.json' },
  },
  { type: 'Changes Refused', detail: { ...ids, base: 'run-1', reason: 'Too many deletes.' } },
  { type: 'Changes Failed', detail: { entity: 'CL', base: null, runId: null, reason: 'It crashed.' } },
])('the event $type names its deployment and bucket', async ({ type, detail }) => {
  await createEventPublisher(origin, client)({ type, detail } as SyncEvent | ChangesEvent)
  expect(bus.events.at(-1)).toEqual({
    source: 'Longshore',
    detailType: type,
    detail: { ...detail, deployment: 'Shop', bucket: 'shop-snapshots' },
  })
})

it('fails if EventBridge rejects the event', async () => {
  const rejected = { type: '', detail: { ...ids, reason: 'The platform failed.' } } as unknown as SyncEvent
  await expect(createEventPublisher(origin, client)(rejected)).rejects.toThrow(/rejected.*InvalidArgument/)
})
