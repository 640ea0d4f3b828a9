import type { Configuration } from '../lib/config.ts'
import { withChanges } from './example-changes.ts'
import { countOf, type DocumentSource, makeDocuments } from './platform/documents.ts'
import { onScroll } from './platform/faults.ts'
import {
  type AcceptedCredentials,
  localCredentials,
  type Platform,
  startPlatform,
} from './platform/platform.ts'

export const exampleDock = 'dock-lisbon'
export const exampleSubscription = 'subscription-1'

/** The stand-in platform with example data: documents for each configured entity. */
export async function startExampleShop({ entities, upstream }: Configuration): Promise<{
  platform: Platform
  credentials: AcceptedCredentials
  /** A summary of the data. */
  contents: string
  /** Changes some documents of an entity and returns a summary. */
  change: (entity: string) => string
}> {
  const documents: Record<string, DocumentSource> = {}
  for (const [index, { name }] of entities.entries()) {
    documents[name] = makeDocuments(index === 0 ? 5000 : 1200, { seed: index + 1 })
  }
  const platform = await startPlatform({
    headerPrefix: upstream.headerPrefix,
    documents,
    docks: Object.fromEntries(['dock-porto', exampleDock].map((id) => [id, dock(id)])),
    groups: { 'group-1': { status: 'ACTIVE', isSkipped: false, item: subscriptions.map(itemOf) } },
    subscriptions: Object.fromEntries(
      subscriptions.map((id) => [id, { status: 'ACTIVE', isSkipped: false, item: itemOf(id) }]),
    ),
  })
  // About what a real platform takes for a page of a thousand.
  const slow = { kind: 'slow', beforeHeadersMs: 250 } as const
  platform.faults.add({ match: onScroll(), times: Number.POSITIVE_INFINITY, fault: slow })
  const counts = Object.entries(documents).map(([name, source]) => `${countOf(source)} ${name}`)
  const contents = [...counts, '2 docks', '2 subscriptions in a group'].join(', ')
  const change = (entity: string) => {
    const changed = withChanges(platform.documents.get(entity) as Buffer[], new Date())
    platform.documents.set(entity, changed.documents)
    return changed.summary
  }
  return { platform, credentials: localCredentials, contents, change }
}

const subscriptions = [exampleSubscription, 'subscription-2']

const itemOf = (SubscriptionId: string) => ({
  SubscriptionId,
  sku: { id: SubscriptionId === exampleSubscription ? '2000' : '2001', name: 'Coffee beans, 1 kg' },
  quantity: 1,
  sellingPrice: 1890,
})

/** Interface section 2.1. */
function dock(id: string): Buffer {
  const pickupStoreInfo = {
    isPickupStore: false,
    storeId: null,
    friendlyName: null,
    address: null,
    additionalInfo: null,
    dockId: null,
  }
  return Buffer.from(
    JSON.stringify({
      id,
      name: 'Main dock',
      priority: 1,
      dockTimeFake: '1.00:00:00',
      timeFakeOverhead: '00:30:00',
      salesChannels: ['1', '2'],
      salesChannel: null,
      freightTableIds: ['express', 'standard'],
      wmsEndPoint: '',
      pickupStoreInfo,
    }),
  )
}
