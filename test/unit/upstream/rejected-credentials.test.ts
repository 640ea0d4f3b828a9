import { describe, expect, it } from 'vitest'
import { errorOf, prepare } from './cached-credentials.ts'

/** Credentials of which v1 was read, and v2 is stored since. */
async function rotated() {
  const prepared = prepare()
  await prepared.source.get('logistics')
  prepared.rotate('v2')
  return prepared
}

/** Credentials of a run, of which v1 was rejected and read again. */
async function rejected() {
  const prepared = prepare({}, 'wait')
  await prepared.source.get('documents')
  expect(await prepared.source.renew('documents', 'v1')).toBeUndefined()
  return prepared
}

describe('after the platform rejected the credentials', () => {
  it('returns a newer version and caches it', async () => {
    const { store, source } = await rotated()
    expect(await source.renew('logistics', 'v1')).toMatchObject({ appKey: 'key-of-v2', version: 'v2' })
    expect((await source.get('logistics')).version).toBe('v2')
    expect(store.reads).toHaveLength(2)
  })

  it('returns nothing if the version is the same', async () => {
    const { store, source } = prepare()
    await source.get('logistics')
    expect(await source.renew('logistics', 'v1')).toBeUndefined()
    expect(store.reads).toHaveLength(2)
  })

  it('reads at most once every 10 seconds for a rejected version', async () => {
    const { store, source, rotate } = prepare()
    await source.get('logistics')
    await source.renew('logistics', 'v1')
    rotate('v2')
    store.nowMs += 9_999
    expect(await source.renew('logistics', 'v1')).toBeUndefined()
    expect(store.reads).toHaveLength(2)
    store.nowMs += 1
    expect((await source.renew('logistics', 'v1'))?.version).toBe('v2')
    expect(store.reads).toHaveLength(3)
  })

  it('reads at once, however recent the first read', async () => {
    const { store, source } = await rotated()
    store.nowMs += 1
    expect((await source.renew('logistics', 'v1'))?.version).toBe('v2')
  })

  it('shares one read between concurrent requests that were rejected', async () => {
    const { store, source } = await rotated()
    const renewed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => source.renew(index % 2 ? 'logistics' : 'subscriptions', 'v1')),
    )
    expect(new Set(renewed.map((one) => one?.version))).toEqual(new Set(['v2']))
    expect(store.reads).toHaveLength(2)
  })

  it('returns without a read what another request has renewed', async () => {
    const { store, source } = await rotated()
    await source.renew('logistics', 'v1')
    expect((await source.renew('logistics', 'v1'))?.version).toBe('v2')
    expect(store.reads).toHaveLength(2)
  })

  it('reads again at once if the renewed version is rejected too, and then waits', async () => {
    const { store, source, rotate } = await rotated()
    await source.renew('logistics', 'v1')
    expect(await source.renew('logistics', 'v2')).toBeUndefined()
    expect(store.reads).toHaveLength(3)
    rotate('v3')
    store.nowMs += 9_999
    expect(await source.renew('logistics', 'v2')).toBeUndefined()
    expect(store.reads).toHaveLength(3)
    store.nowMs += 1
    expect((await source.renew('logistics', 'v2'))?.version).toBe('v3')
  })

  it('keeps serving the known credentials while the store is down, and reads once every 10 seconds', async () => {
    const { store, source, rotate } = prepare()
    await source.get('logistics')
    store.failure = new Error('the store is down')
    const errors = await Promise.all([1, 2].map(() => errorOf(source.renew('logistics', 'v1'))))
    expect(errors.map(({ kind }) => kind)).toEqual(['unreadable', 'unreadable'])
    expect((await source.get('logistics')).version).toBe('v1')
    await errorOf(source.renew('logistics', 'v1'))
    expect(store.reads).toHaveLength(2)
    store.failure = undefined
    rotate('v2')
    store.nowMs += 10_000
    expect((await source.renew('logistics', 'v1'))?.version).toBe('v2')
    expect(store.reads).toHaveLength(3)
  })

  it('returns without a read what was read when the cache expired', async () => {
    const { store, source } = await rotated()
    store.nowMs += 600_000
    await source.get('logistics')
    expect((await source.renew('logistics', 'v1'))?.version).toBe('v2')
    expect(store.reads).toHaveLength(2)
  })

  it('caches the renewed credentials for another 10 minutes', async () => {
    const { store, source } = prepare()
    await source.get('logistics')
    store.nowMs += 500_000
    await source.renew('logistics', 'v1')
    store.nowMs += 500_000
    await source.get('logistics')
    expect(store.reads).toHaveLength(2)
  })
})

describe('a run whose credentials were rejected', () => {
  it('waits until the secret may be read again, and continues with newer credentials', async () => {
    const { store, source, rotate } = await rejected()
    rotate('v2')
    store.nowMs += 4_000
    expect((await source.renew('documents', 'v1'))?.version).toBe('v2')
    expect(store.slept).toEqual([6_000])
    expect(store.reads).toHaveLength(3)
  })

  it('fails after one read that began after the rejection', async () => {
    const { store, source } = await rejected()
    store.nowMs += 1
    expect(await source.renew('documents', 'v1')).toBeUndefined()
    expect(store.slept).toEqual([9_999])
    expect(store.reads).toHaveLength(3)
  })

  it('does not wait if the last read is 10 seconds old, or if the other version was rejected', async () => {
    const { store, source, rotate } = await rejected()
    store.nowMs += 10_000
    rotate('v2')
    await source.renew('documents', 'v1')
    await source.renew('documents', 'v2')
    expect(store.slept).toEqual([])
    expect(store.reads).toHaveLength(4)
  })

  it('shares the read with the other requests that wait', async () => {
    const { store, source, rotate } = await rejected()
    store.nowMs += 1_000
    rotate('v2')
    const renewed = await Promise.all([1, 2, 3].map(() => source.renew('documents', 'v1')))
    expect(renewed.map((one) => one?.version)).toEqual(['v2', 'v2', 'v2'])
    expect(store.reads).toHaveLength(3)
  })

  it('shares the first read with requests that were rejected at the same time, and waits for none', async () => {
    const { store, source } = prepare({}, 'wait')
    await source.get('documents')
    const renewed = await Promise.all([1, 2, 3].map(() => source.renew('documents', 'v1')))
    expect(renewed).toEqual([undefined, undefined, undefined])
    expect(store.slept).toEqual([])
    expect(store.reads).toHaveLength(2)
  })

  it('shares a read of the same credentials with the other requests that wait', async () => {
    const { store, source } = await rejected()
    store.nowMs += 1_000
    const renewed = await Promise.all([1, 2, 3].map(() => source.renew('documents', 'v1')))
    expect(renewed).toEqual([undefined, undefined, undefined])
    expect(store.reads).toHaveLength(3)
  })
})
