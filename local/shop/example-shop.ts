import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { formatCount } from '../../functions/runtime/format.ts'
import type { Configuration } from '../../lib/config.ts'
import { writeWholeFile } from '../lines-file.ts'
import { countOf, type DocumentSource, makeDocuments } from '../stand-in/documents.ts'
import { type FaultRule, onScroll } from '../stand-in/faults.ts'
import type { LikePlatform } from '../stand-in/like.ts'
import type { PlatformModel, PlatformModelOptions } from '../stand-in/model.ts'
import { startPlatform } from '../stand-in/platform.ts'
import { type ExampleChanges, withChanges, withoutMany } from './example-changes.ts'

export const exampleDock = 'dock-lisbon'
export const exampleSubscription = 'subscription-1'

export interface ExampleShopOptions {
  readonly configuration: Configuration
  readonly rules: readonly FaultRule[]
  /** Where the data are kept; in memory if undefined. */
  readonly folder: string | undefined
  /** How the platform behaves, if not as usual, and the documents of each entity. */
  readonly like: LikePlatform | undefined
}

/** The stand-in platform with example data: documents for each configured entity. */
export async function startExampleShop({ configuration, rules: faults, folder, like }: ExampleShopOptions) {
  const { endpoints, entities, upstream } = configuration
  const stored = folder === undefined ? {} : loadShop(folder)
  const documents: Record<string, DocumentSource> = {}
  for (const [index, { name }] of entities.entries()) {
    documents[name] =
      stored.documents?.[name] ??
      (like ? [...like.likeDocuments] : makeDocuments(index === 0 ? 5000 : 1200, { seed: index + 1 }))
  }
  // Nobody else on this machine knows them.
  const credentials = { appKey: `local-${randomUUID()}`, appToken: randomUUID() }
  const platform = await startPlatform({
    ...like,
    credentials: [credentials],
    endpoints,
    headerPrefix: upstream.headerPrefix,
    documents,
    docks: Object.fromEntries(['dock-porto', exampleDock].map((id) => [id, dock(id)])),
    groups: stored.groups ?? {
      'group-1': { status: 'ACTIVE', isSkipped: false, item: subscriptions.map(itemOf) },
    },
    subscriptions:
      stored.subscriptions ??
      Object.fromEntries(
        subscriptions.map((id) => [id, { status: 'ACTIVE', isSkipped: false, item: itemOf(id) }]),
      ),
  })
  const save = () => folder !== undefined && saveShop(folder, platform)
  save()
  // The oldest matching rule applies, so the delay comes last.
  for (const rule of [...faults, ...(like?.rules ?? [])]) platform.faults.add(rule)
  // About what a real platform takes for a page of a thousand.
  const slow = { kind: 'slow', beforeHeadersMs: 250 } as const
  platform.faults.add({ match: onScroll(), times: Number.POSITIVE_INFINITY, fault: slow })
  const counts = Object.entries(documents).map(([name, source]) => `${formatCount(countOf(source))} ${name}`)
  const note = like && stored.documents ? ['with documents of an earlier start instead of the report'] : []
  /** A summary of the data. */
  const contents = [...counts, '2 docks', '2 subscriptions in a group', ...note].join(', ')
  const replace = (entity: string, changed: (before: readonly Buffer[]) => ExampleChanges) => {
    const { documents, summary } = changed(platform.documents.get(entity) as Buffer[])
    platform.documents.set(entity, documents)
    save()
    return summary
  }
  /** Changes some documents of an entity and returns a summary. */
  const change = (entity: string) => replace(entity, (before) => withChanges(before, new Date()))
  /** Lets about half of the documents of an entity disappear and returns a summary. */
  const lose = (entity: string) => replace(entity, withoutMany)
  const close = async () => {
    save()
    await platform.close()
  }
  return { platform, credentials, contents, change, lose, close }
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

type ShopData = Pick<PlatformModelOptions, 'documents' | 'groups' | 'subscriptions'>

const subscriptionsFile = 'subscriptions.json'
const extension = '.ndjson'

/** The data that an earlier `npm start` stored; empty if there is none. */
function loadShop(folder: string): ShopData {
  if (!existsSync(folder)) return {}
  const files = readdirSync(folder).filter((name) => name.endsWith(extension))
  const documents = Object.fromEntries(
    files.map((name) => [basename(name, extension), linesOf(readFileSync(join(folder, name), 'utf8'))]),
  )
  const others = JSON.parse(readFileSync(join(folder, subscriptionsFile), 'utf8')) as Omit<
    ShopData,
    'documents'
  >
  return { documents, ...others }
}

/** Stores what callers and the demo can change. The documents of the stand-in are one line of JSON each. */
function saveShop(folder: string, { documents, groups, subscriptions }: PlatformModel): void {
  mkdirSync(folder, { recursive: true })
  const others = { groups: Object.fromEntries(groups), subscriptions: Object.fromEntries(subscriptions) }
  writeWholeFile(join(folder, subscriptionsFile), JSON.stringify(others))
  for (const [entity, source] of documents) {
    if (!Array.isArray(source)) continue
    writeWholeFile(
      join(folder, `${entity}${extension}`),
      source.map((bytes) => `${String(bytes)}\n`).join(''),
    )
  }
}

function linesOf(text: string): Buffer[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => Buffer.from(line))
}
