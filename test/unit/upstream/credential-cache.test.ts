import { describe, expect, it } from 'vitest'
import { placeholder } from '../../../functions/platform/areas.ts'
import { errorOf, keys, prepare } from './cached-credentials.ts'

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

it('reads a secret that an editor saved with a byte order mark', async () => {
  const { store, source } = prepare()
  store.value = `\ufeff${keys('\ufeffkey-1')}\r\n`
  expect((await source.get('documents')).appKey).toBe('key-1')
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
