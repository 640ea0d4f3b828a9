import { describe, expect, it } from 'vitest'
import { configured } from '../../endpoints.ts'
import { useStandIn } from './running-platform.ts'

const standIn = useStandIn()
const { start, call } = standIn

describe('docks and subscriptions', () => {
  const patch = (path: string, body: unknown) =>
    call(`/api/rns/${path}`, { method: 'PATCH', body: JSON.stringify(body) })

  it('adds to a group again when an adding patch is repeated, unless it names an item', async () => {
    await start({
      groups: { g: { status: 'ACTIVE', item: [{ SubscriptionId: 's1', sku: { id: '1' }, quantity: 1 }] } },
    })
    const add = {
      item: [
        { sku: { id: '1' }, quantity: 2 },
        { sku: { id: '2' }, quantity: 1 },
      ],
    }
    await patch('subscriptions-group/g?an=shop', add)
    await patch('subscriptions-group/g', add)
    expect(standIn.platform.groups.get('g')?.item.map((item) => item.quantity)).toEqual([5, 2])
    await patch('subscriptions-group/g', { isSkipped: true, item: [{ SubscriptionId: 's1', quantity: 9 }] })
    expect(standIn.platform.groups.get('g')).toMatchObject({
      isSkipped: true,
      item: [{ quantity: 9 }, { quantity: 2 }],
    })
  })

  it('refuses a malformed body in the error format of the area', async () => {
    await start({ groups: { g: { item: [] } }, subscriptions: { s: {} } })
    const responses = [
      await patch('subscriptions-group/g', { item: {} }),
      await patch('subscriptions/s', { item: [] }),
      await patch('subscriptions/unknown', {}),
      await call('/api/logistics/pvt/configuration/docks/unknown'),
      await call('/elsewhere'),
    ]
    expect(responses.map(({ status, body }) => [status, String(body)])).toEqual([
      [400, '{"code":400,"message":"item must be an array"}'],
      [400, '{"code":400,"message":"item must be an object"}'],
      [404, '{"code":404,"message":"Subscription unknown not found"}'],
      [404, '{"error":{"code":"404","message":"Dock unknown not found","exception":null}}'],
      [404, 'Not Found'],
    ])
  })
})

it('returns a stored subscription or what was requested, with an ETag and the headers of the entry', async () => {
  await start({ endpoints: configured, subscriptions: { s1: { status: 'ACTIVE' } } })
  const read = async (path: string, headers = {}) => {
    const { status, body, headers: sent } = await call(path, { headers })
    return [status, String(body), sent['x-page'], sent['etag']]
  }
  expect(await read('/api/rns/subscriptions/s1')).toEqual([
    200,
    '{"status":"ACTIVE"}',
    undefined,
    expect.any(String),
  ])
  expect((await read('/api/rns/subscriptions/s2')).slice(0, 2)).toEqual([
    404,
    '{"code":404,"message":"s2 not found"}',
  ])
  const [status, body, page, etag] = await read('/api/oms/pvt/orders?page=2')
  expect([status, body, page]).toEqual([200, expect.stringContaining('"query":[["page","2"]]'), '1'])
  expect(await read('/api/oms/pvt/orders?page=2', { 'If-None-Match': etag })).toEqual([
    304,
    '',
    undefined,
    etag,
  ])
})

const status = async (path: string, headers: Record<string, string>) => (await call(path, { headers })).status
const dock = '/api/logistics/pvt/configuration/docks/a'

it('credentials are accepted for their areas while listed, with the vendor’s header prefix', async () => {
  await start({ headerPrefix: 'X-VTEX', docks: { a: Buffer.from('{}') } })
  const pair = (value: string) => ({ 'X-VTEX-API-AppKey': value, 'X-VTEX-API-AppToken': value })
  standIn.platform.credentials.push({ appKey: 'new', appToken: 'new', areas: ['logistics'] })
  expect(await status(dock, pair('new'))).toBe(200)
  expect(await status('/api/dataentities/CL/scroll', pair('new'))).toBe(403)
  expect(await status(dock, pair('old'))).toBe(401)
  standIn.platform.rejectStatus = 403
  standIn.platform.credentials.length = 0
  expect(await status(dock, pair('new'))).toBe(403)
})
