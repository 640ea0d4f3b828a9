import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { type EmbeddedStores, startEmbeddedStores, withFreshTable } from './embedded-stores.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

/** Each test has an entity, a table and a platform of its own; the platform has 95 documents of the entity. */
export let entity: string
export let stores: EmbeddedStores
export let platform: Platform
let embedded: EmbeddedStores
let count = 0

/** Call it once in a file of tests, which may share this module with other files. */
export function prepareEachSync(): void {
  beforeAll(async () => {
    embedded = await startEmbeddedStores()
  })
  afterAll(() => embedded.close())
  beforeEach(async () => {
    stores = await withFreshTable(embedded)
    entity = `E${++count}`
    platform = await startPlatform({ documents: { [entity]: makeDocuments(95) } })
  })
  afterEach(async () => {
    await Promise.all([platform.close(), stores.close()])
  })
}

/** What the platform sends of its documents. */
export const sent = () => (platform.documents.get(entity) as Buffer[]).map(String)

/** The worker as it is deployed with the entity, in pages of 10. */
export const world = (change = {}, more = {}) =>
  syncWorld({ stores, platform }, [entitySettings(entity, change)], more)

/** What a token may mean to a platform. */
export const tokenSemantics = ['cursor', 'positional', 'changing-cursor'] as const
