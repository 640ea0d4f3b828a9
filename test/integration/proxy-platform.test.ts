import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { localCredentials, type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { onDock, onPatch, onSearch } from '../stand-in-faults.ts'
import { dock, patch, patchGroup, scroll, search, testProxy } from './proxy-setup.ts'

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

const proxy = () =>
  testProxy({ baseUrl: platform.url, headerPrefix: 'X-SVC', secret: JSON.stringify(localCredentials) })

test('a dock is relayed byte for byte', async () => {
  const result = await proxy()(dock({ pathParameters: { dockId: 'd 1' } }))
  expect(result).toMatchObject({ statusCode: 200, body: '{ "id": "d 1", "priority": 1.0 }' })
})

test('a search returns the requested range and its position', async () => {
  const page = await proxy()(
    search({ headers: { 'rest-range': 'resources=200-300' }, rawQueryString: '_sort=id' }),
  )
  expect(page.headers).toMatchObject({
    'rest-content-range': expect.stringMatching(/^resources=200-\d+\/250$/),
  })
  expect(page.problem()).toHaveLength(50)
})

test('a scroll reads every document by its tokens', async () => {
  const call = proxy()
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

test('a scroll can be read by its Link headers, which end with the documents', async () => {
  const call = proxy()
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

test('a PATCH is applied once', async () => {
  expect((await proxy()(patch())).statusCode).toBe(200)
  expect((await proxy()(patchGroup({ rawQueryString: 'an=shop' }))).statusCode).toBe(200)
  expect(platform.subscriptions.get('s1')).toMatchObject({ item: { quantity: 2 } })
  expect(platform.groups.get('g1')?.item).toMatchObject([{ sku: { id: '1' }, quantity: 2 }])
})

test('a PATCH whose response was lost is not sent again, and its outcome is unknown', async () => {
  platform.faults.add({ match: onPatch('g1'), fault: { kind: 'reset', effect: 'after' } })
  const result = await proxy()(patchGroup())
  expect(result.problem()).toMatchObject({ status: 502, outcome: 'unknown' })
  expect(platform.groups.get('g1')?.item).toMatchObject([{ quantity: 2 }])
})

test('a lost scroll page is not requested again', async () => {
  platform.faults.add({ match: onScroll({ request: 1 }), fault: { kind: 'cut' } })
  const result = await proxy()(scroll({ rawQueryString: '_size=100' }))
  expect(result.problem()).toMatchObject({ type: 'urn:longshore:problem:upstream-interrupted' })
  expect(platform.requests).toHaveLength(1)
})

test('a dock and a search are retried through temporary faults', async () => {
  platform.faults.add({ match: onDock(), fault: { kind: 'status', status: 503 }, times: 2 })
  platform.faults.add({ match: onSearch(), fault: { kind: 'reset' }, times: 3 })
  expect((await proxy()(dock({ pathParameters: { dockId: 'd 1' } }))).statusCode).toBe(200)
  expect((await proxy()(search())).statusCode).toBe(200)
  expect(platform.requests).toHaveLength(3 + 4)
})

test('a rejection of the credentials is relayed', async () => {
  platform.credentials.length = 0
  expect((await proxy()(dock())).statusCode).toBe(401)
  expect(platform.requests).toHaveLength(1)
})
