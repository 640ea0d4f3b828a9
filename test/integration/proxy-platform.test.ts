import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeDocuments } from '../../local/platform/documents.ts'
import { onDock, onPatch, onScroll, onSearch } from '../../local/platform/faults.ts'
import { localCredentials, type Platform, startPlatform } from '../../local/platform/platform.ts'
import { dock, frontDoor, patch, patchGroup, scroll, search } from './proxy-setup.ts'

const documents = makeDocuments(250)
let platform: Platform
beforeEach(async () => {
  vi.spyOn(console, 'log').mockReturnValue()
  platform = await startPlatform({
    documents: { CL: documents },
    docks: { 'd 1': Buffer.from('{ "id": "d 1", "priority": 1.0 }') },
    groups: { g1: { item: [] } },
    subscriptions: { s1: { status: 'ACTIVE' } },
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await platform.close()
})

const door = () =>
  frontDoor({ baseUrl: platform.url, headerPrefix: 'X-SVC', secret: JSON.stringify(localCredentials) })

test('a dock comes as the platform has it', async () => {
  const result = await door()(dock({ pathParameters: { dockId: 'd 1' } }))
  expect(result).toMatchObject({ statusCode: 200, body: '{ "id": "d 1", "priority": 1.0 }' })
})

test('a search pages by range, and says where it is', async () => {
  const page = await door()(
    search({ headers: { 'rest-range': 'resources=200-300' }, rawQueryString: '_sort=id' }),
  )
  expect(page.headers).toMatchObject({
    'rest-content-range': expect.stringMatching(/^resources=200-\d+\/250$/),
  })
  expect(page.problem()).toHaveLength(50)
})

test('a scroll reads every document by its tokens', async () => {
  const call = door()
  const seen: Buffer[] = []
  let page = await call(scroll({ rawQueryString: '_size=100' }))
  expect(page.headers).toMatchObject({ 'rest-content-total': '250' })
  for (let pages = 0; page.bytes.length > 0 && pages < 5; pages += 1) {
    seen.push(page.bytes)
    const token = encodeURIComponent(String(page.headers?.['x-svc-md-token']))
    page = await call(scroll({ rawQueryString: `_token=${token}` }))
  }
  expect(seen.flatMap((bytes) => JSON.parse(bytes.toString()))).toEqual(
    documents.map((document) => JSON.parse(document.toString())),
  )
})

test('a scroll can be read by its links alone, which end with the documents', async () => {
  const call = door()
  const seen: unknown[] = []
  let query = '_size=100'
  let pages = 0
  for (let next: string | undefined = query; next !== undefined && pages < 9; pages += 1) {
    query = next
    const page = await call(scroll({ rawQueryString: query }))
    expect(page.statusCode).toBe(200)
    if (page.bytes.length > 0) seen.push(...page.problem())
    next = /^<\?(.*)>; rel="next"$/.exec(String(page.headers?.['link']))?.[1]
  }
  expect(pages).toBe(4)
  expect(seen).toEqual(documents.map((document) => JSON.parse(document.toString())))
})

test('patches arrive, once', async () => {
  expect((await door()(patch())).statusCode).toBe(200)
  expect((await door()(patchGroup({ rawQueryString: 'an=shop' }))).statusCode).toBe(200)
  expect(platform.subscriptions.get('s1')).toMatchObject({ item: { quantity: 2 } })
  expect(platform.groups.get('g1')?.item).toMatchObject([{ sku: { id: '1' }, quantity: 2 }])
})

test('a patch whose answer was lost is not made twice, and its outcome is said to be unknown', async () => {
  platform.faults.add({ match: onPatch('g1'), fault: { kind: 'reset', effect: 'after' } })
  const result = await door()(patchGroup())
  expect(result.problem()).toMatchObject({ status: 502, outcome: 'unknown' })
  expect(platform.groups.get('g1')?.item).toMatchObject([{ quantity: 2 }])
})

test('a scroll page that was lost is not asked for twice', async () => {
  platform.faults.add({ match: onScroll({ request: 1 }), fault: { kind: 'cut' } })
  const result = await door()(scroll({ rawQueryString: '_size=100' }))
  expect(result.problem()).toMatchObject({ type: 'urn:longshore:problem:upstream-interrupted' })
  expect(platform.requests).toHaveLength(1)
})

test('docks and searches outlive what passes', async () => {
  platform.faults.add({ match: onDock(), fault: { kind: 'status', status: 503 }, times: 2 })
  platform.faults.add({ match: onSearch(), fault: { kind: 'reset' }, times: 3 })
  expect((await door()(dock({ pathParameters: { dockId: 'd 1' } }))).statusCode).toBe(200)
  expect((await door()(search())).statusCode).toBe(200)
  expect(platform.requests).toHaveLength(3 + 4)
})

test('keys that the platform does not know are its own answer', async () => {
  platform.credentials.length = 0
  expect((await door()(dock())).statusCode).toBe(401)
  expect(platform.requests).toHaveLength(1)
})
