import type { S3Client } from '@aws-sdk/client-s3'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { beforeEach, expect, it } from 'vitest'
import type { Settings } from '../../../functions/runtime/settings.ts'
import { createChangeSetStore } from '../../../functions/state/changes/change-sets.aws.ts'
import { manifestKey } from '../../../functions/state/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../functions/state/snapshots/snapshots.aws.ts'
import { createResponders } from '../../../functions/sync-api/responders.ts'
import { createSyncApi } from '../../../functions/sync-api/sync-api.ts'
import { documentAt, IncrementTestbed } from '../worker/increment/increment-testbed.ts'

const day = 24 * 60 * 60_000

let testbed: IncrementTestbed
let full: string

/** An entity with one document, whose first full set is published. */
beforeEach(async () => {
  testbed = new IncrementTestbed()
  testbed.documents = [documentAt(1, 'first', { created: testbed.now - 10 * day })]
  full = await testbed.sync()
})

async function get(query = '') {
  const client = testbed.s3 as unknown as S3Client
  const context = {
    settings: { entities: [testbed.entity] } as unknown as Settings,
    snapshots: createSnapshotStore('snapshots', client),
    changes: createChangeSetStore('snapshots', client),
    signLinks: async (keys: readonly string[]) => keys.map((key) => `https://bucket.example.com/${key}`),
  }
  const respond = createSyncApi(
    createResponders(context as unknown as Parameters<typeof createResponders>[0]),
  )
  const event = {
    routeKey: 'GET /syncs/{entity}/changes',
    pathParameters: { entity: 'CL' },
    rawQueryString: query,
    headers: {},
    requestContext: { requestId: 'r', domainName: 'api.example.com', stage: '$default' },
  }
  const { body = '' } = await respond(event as unknown as APIGatewayProxyEventV2)
  return JSON.parse(body)
}

/** Creates a document, which an increment delivers. */
async function deliver(id: number): Promise<string> {
  testbed.documents.push(documentAt(id, 'new', { created: testbed.now }))
  await testbed.increment()
  return testbed.chain().tip
}

it('lists no increments for a chain that none has extended', async () => {
  expect(await get()).not.toHaveProperty('incrementParts')
})

it('lists the increments since the snapshot for readers that begin, with a link to each part', async () => {
  await deliver(2)
  const tip = await deliver(3)
  const { snapshot, incrementParts, ...response } = await get()
  expect(response).toEqual({ entity: 'CL', tip, withheldParts: [], sets: [] })
  expect(snapshot).toMatchObject({
    runId: full,
    manifest: manifestKey('CL', full),
    documents: 1,
    stateDocuments: null,
    stateIdSum: null,
  })
  expect(incrementParts).toHaveLength(2)
  for (const { key, link } of incrementParts) expect(link).toBe(`https://bucket.example.com/${key}`)
})

it('has an empty list after the next full set, which knows the state again', async () => {
  await deliver(2)
  await testbed.sync()
  const { snapshot, incrementParts } = await get()
  expect(incrementParts).toEqual([])
  expect(snapshot).toMatchObject({ documents: 2, stateDocuments: 2 })
})

it('lists increments among the sets since a run, with the records of each only', async () => {
  const tip = await deliver(2)
  const { sets } = await get(`since=${full}`)
  expect(sets).toMatchObject([
    { runId: tip, base: full, kind: 'increment', records: 1, older: 0, withoutId: 0, proof: 'exact' },
  ])
  expect(sets[0].parts).toHaveLength(1)
  expect(sets[0]).not.toHaveProperty('incrementParts')
  expect(sets[0]).not.toHaveProperty('withheldParts')
})
