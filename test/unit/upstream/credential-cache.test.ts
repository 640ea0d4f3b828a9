import { describe, expect, it } from 'vitest'
import { type Area, placeholder } from '../../../functions/platform/areas.ts'
import { cacheCredentials, type SecretReader } from '../../../functions/upstream/credential-cache.ts'
import { CredentialsError } from '../../../functions/upstream/errors.ts'

/** A store of secrets whose clock and content the test sets; `reads` are the ids in the order of their reads. */
function prepare(
  secretIds: Partial<Record<Area, string>> = {},
  onRejection: 'wait' | 'continue' = 'continue',
) {
  const store = {
    nowMs: 1_000_000,
    value: keys('key-1') as string | undefined,
    version: 'v1',
    failure: undefined as Error | undefined,
    reads: [] as string[],
    slept: [] as number[],
  }
  const read: SecretReader = async (id) => {
    store.reads.push(id)
    const { value, version, failure } = store
    await new Promise((resolve) => setImmediate(resolve))
    if (failure) throw failure
    return { value, version }
  }
  const source = cacheCredentials({
    secretIds: { logistics: 'one', subscriptions: 'one', documents: 'one', ...secretIds },
    read,
    now: () => store.nowMs,
    ...(onRejection === 'wait' && { sleep: (ms: number) => sleep(store, ms) }),
  })
  const rotate = (version: string) => Object.assign(store, { value: keys(`key-of-${version}`), version })
  return { store, source, rotate }
}

/** Waits in the store's time. Sleepers of the same time wake up together. */
async function sleep(store: { nowMs: number; slept: number[] }, ms: number): Promise<void> {
  const until = store.nowMs + ms
  store.slept.push(ms)
  await new Promise((resolve) => setImmediate(resolve))
  store.nowMs = Math.max(store.nowMs, until)
}

function keys(appKey: string, appToken = 'token-1'): string {
  return JSON.stringify({ appKey, appToken })
}

async function errorOf(promise: Promise<unknown>): Promise<CredentialsError> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (!(error instanceof CredentialsError)) throw new Error(`no CredentialsError but ${String(error)}`)
  return error
}

describe('the cache of a secret', () => {
  it('shares one read between concurrent requests', async () => {
    const { store, source } = prepare()
    const all = await Promise.all(Array.from({ length: 20 }, () => source.get('logistics')))
    expect(new Set(all)).toEqual(new Set([{ appKey: 'key-1', appToken: 'token-1', version: 'v1' }]))
    expect(store.reads).toEqual(['one'])
  })

  it('reads again after 10 minutes, not before', async () => {
    const { store, source, rotate } = prepare()
    await source.get('logistics')
    rotate('v2')
    store.nowMs += 599_999
    expect((await source.get('logistics')).version).toBe('v1')
    store.nowMs += 1
    expect((await source.get('logistics')).version).toBe('v2')
    expect(store.reads).toHaveLength(2)
  })

  it('shares a read between areas that share a secret', async () => {
    const { store, source } = prepare({ documents: 'two' })
    await Promise.all([source.get('logistics'), source.get('subscriptions'), source.get('documents')])
    expect(store.reads).toEqual(['one', 'two'])
  })

  it('shares a renewal between areas that share a secret, and with no other', async () => {
    const { store, source, rotate } = prepare({ documents: 'two' })
    await Promise.all([source.get('logistics'), source.get('documents')])
    rotate('v2')
    await source.renew('logistics', 'v1')
    expect((await source.get('subscriptions')).version).toBe('v2')
    expect((await source.get('documents')).version).toBe('v1')
    expect(store.reads).toEqual(['one', 'two', 'one'])
  })

  it('trims white space around the values', async () => {
    const { store, source } = prepare()
    store.value = keys(' key\n', '\ttoken ')
    expect(await source.get('logistics')).toMatchObject({ appKey: 'key', appToken: 'token' })
  })
})

describe('a failed read', () => {
  it('fails all requests that waited for it, and the next request reads again', async () => {
    const { store, source } = prepare()
    store.failure = new Error('the store is down')
    const errors = await Promise.all([errorOf(source.get('logistics')), errorOf(source.get('subscriptions'))])
    expect(errors.map(({ kind }) => kind)).toEqual(['unreadable', 'unreadable'])
    expect(errors[0]?.cause).toBe(store.failure)
    expect(store.reads).toHaveLength(1)
    store.failure = undefined
    expect((await source.get('logistics')).appKey).toBe('key-1')
  })

  it('of a malformed secret is followed by another read at once', async () => {
    const { store, source } = prepare()
    store.value = '{}'
    await errorOf(source.get('logistics'))
    store.value = keys('key-2')
    expect((await source.get('logistics')).appKey).toBe('key-2')
  })

  it('that ends late does not discard the result of a newer read', async () => {
    const { store, source } = prepare()
    store.failure = new Error('the store is down')
    const old = errorOf(source.get('logistics'))
    store.nowMs += 600_000
    store.failure = undefined
    const fresh = source.get('logistics')
    await Promise.all([old, fresh])
    expect((await source.get('logistics')).appKey).toBe('key-1')
    expect(store.reads).toHaveLength(2)
  })
})

describe('the placeholder', () => {
  it.each([
    ['both values', keys(placeholder, placeholder)],
    ['the app key alone', keys(placeholder)],
    ['the app token alone', keys('key-1', placeholder)],
  ])('means that the credentials are not set: in %s', async (_, value) => {
    const { store, source } = prepare()
    store.value = value
    const error = await errorOf(source.get('logistics'))
    expect(error).toMatchObject({
      kind: 'not-set',
      message: 'The credentials secret still contains the placeholder.',
    })
    expect(error.cause).toBeUndefined()
  })

  it('is cached for 10 seconds and not longer', async () => {
    const { store, source } = prepare()
    store.value = keys(placeholder, placeholder)
    await errorOf(source.get('logistics'))
    store.value = keys('key-2')
    store.nowMs += 9_999
    expect((await errorOf(source.get('logistics'))).kind).toBe('not-set')
    expect(store.reads).toHaveLength(1)
    store.nowMs += 1
    expect((await source.get('logistics')).appKey).toBe('key-2')
  })
})

describe('a malformed secret', () => {
  it.each<[string, string | undefined]>([
    ['no value', undefined],
    ['an empty string', ''],
    ['no JSON', 'appKey=hunter2'],
    ['truncated JSON', '{"appKey":"hunter2","appToken":"hun'],
    ['a string', '"hunter2"'],
    ['an array', '["hunter2"]'],
    ['null', 'null'],
    ['no token', '{"appKey":"hunter2"}'],
    ['a key that is a number', '{"appKey":4711,"appToken":"hunter2"}'],
    ['an empty token', keys('hunter2', '')],
    ['a token of white space', keys('hunter2', ' \n ')],
    ['names in another case', '{"AppKey":"hunter2","AppToken":"hunter2"}'],
    ['a line feed within', keys('hunter2\nX-Evil: 1')],
    ['a carriage return within', keys('key', 'hunter2\r\n\r\nGET /')],
    ['a NUL', keys('hunter2\u0000x')],
    ['a space within', keys('hunter2 hunter2')],
    ['a delete character', keys('hunter2\u007fx')],
    ['a letter beyond ASCII', keys('hunter2é')],
  ])('is reported without its values: %s', async (_, value) => {
    const { store, source } = prepare()
    store.value = value
    const error = await errorOf(source.get('documents'))
    expect(error.kind).toBe('malformed')
    expect(`${error.message}\n${error.stack}`).not.toMatch(/hunter2|4711|Evil/)
  })

  const form =
    'The credentials secret must be JSON of the form {"appKey":"…","appToken":"…"} with non-empty strings.'

  it.each([
    ['one member', '{"appKey":"hunter2"}', `${form} Wrong: appToken.`],
    ['both members', '{"appKey":""}', `${form} Wrong: appKey, appToken.`],
    ['the whole value', 'hunter2', `${form} Wrong: the whole value.`],
    [
      'a character that a header cannot have',
      keys('hunter 2'),
      'The app key or app token in the credentials secret contains characters that are not allowed in an HTTP header.',
    ],
  ])('is reported with what is wrong: %s', async (_, value, message) => {
    const { store, source } = prepare()
    store.value = value
    expect((await errorOf(source.get('documents'))).message).toBe(message)
  })
})

describe('after the platform rejected the credentials', () => {
  it('returns a newer version and caches it', async () => {
    const { store, source, rotate } = prepare()
    await source.get('logistics')
    rotate('v2')
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
    const { store, source, rotate } = prepare()
    await source.get('logistics')
    rotate('v2')
    store.nowMs += 1
    expect((await source.renew('logistics', 'v1'))?.version).toBe('v2')
  })

  it('shares one read between concurrent requests that were rejected', async () => {
    const { store, source, rotate } = prepare()
    await source.get('logistics')
    rotate('v2')
    const renewed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => source.renew(index % 2 ? 'logistics' : 'subscriptions', 'v1')),
    )
    expect(new Set(renewed.map((one) => one?.version))).toEqual(new Set(['v2']))
    expect(store.reads).toHaveLength(2)
  })

  it('returns without a read what another request has renewed', async () => {
    const { store, source, rotate } = prepare()
    await source.get('logistics')
    rotate('v2')
    await source.renew('logistics', 'v1')
    expect((await source.renew('logistics', 'v1'))?.version).toBe('v2')
    expect(store.reads).toHaveLength(2)
  })

  it('reads again at once if the renewed version is rejected too, and then waits', async () => {
    const { store, source, rotate } = prepare()
    await source.get('logistics')
    rotate('v2')
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
    const { store, source, rotate } = prepare()
    await source.get('logistics')
    rotate('v2')
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
    const { store, source, rotate } = prepare({}, 'wait')
    await source.get('documents')
    expect(await source.renew('documents', 'v1')).toBeUndefined()
    rotate('v2')
    store.nowMs += 4_000
    expect((await source.renew('documents', 'v1'))?.version).toBe('v2')
    expect(store.slept).toEqual([6_000])
    expect(store.reads).toHaveLength(3)
  })

  it('fails after one read that began after the rejection', async () => {
    const { store, source } = prepare({}, 'wait')
    await source.get('documents')
    await source.renew('documents', 'v1')
    store.nowMs += 1
    expect(await source.renew('documents', 'v1')).toBeUndefined()
    expect(store.slept).toEqual([9_999])
    expect(store.reads).toHaveLength(3)
  })

  it('does not wait if the last read is 10 seconds old, or if the other version was rejected', async () => {
    const { store, source, rotate } = prepare({}, 'wait')
    await source.get('documents')
    await source.renew('documents', 'v1')
    store.nowMs += 10_000
    rotate('v2')
    await source.renew('documents', 'v1')
    await source.renew('documents', 'v2')
    expect(store.slept).toEqual([])
    expect(store.reads).toHaveLength(4)
  })

  it('shares the read with the other requests that wait', async () => {
    const { store, source, rotate } = prepare({}, 'wait')
    await source.get('documents')
    await source.renew('documents', 'v1')
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
    const { store, source } = prepare({}, 'wait')
    await source.get('documents')
    await source.renew('documents', 'v1')
    store.nowMs += 1_000
    const renewed = await Promise.all([1, 2, 3].map(() => source.renew('documents', 'v1')))
    expect(renewed).toEqual([undefined, undefined, undefined])
    expect(store.reads).toHaveLength(3)
  })
})
