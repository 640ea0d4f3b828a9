import { describe, expect, it } from 'vitest'
import { serveSecret } from './served-secrets.ts'

const former = { appKey: 'former-key', appToken: 'former-token' }
const newer = { appKey: 'newer-key', appToken: 'newer-token' }

describe('newer credentials', () => {
  it('are read by no function until they are promoted', async () => {
    const { store, current } = await serveSecret(former)
    const version = await store.stage('shop', newer)
    expect(current()).toEqual(former)
    expect(await store.wasReplaced('shop')).toBe(false)
    const staged = store.credentials({ documents: 'shop' }, version)
    expect(await staged.get('documents')).toEqual({ ...newer, version })
    expect(await store.credentials({ documents: 'shop' }).get('documents')).toMatchObject(former)
  })

  it('replace the former ones, which AWS keeps', async () => {
    const { store, stages } = await serveSecret(former)
    await store.promote('shop', await store.stage('shop', newer))
    expect(JSON.parse((await store.value('shop')) ?? '')).toEqual(newer)
    expect(stages()).toEqual(['AWSCURRENT', 'AWSPREVIOUS'])
    expect(await store.wasReplaced('shop')).toBe(true)
  })

  it('are set although their own stage stays', async () => {
    const { store, current } = await serveSecret(former, { refused: 'LONGSHORE_CANDIDATE' })
    await store.promote('shop', await store.stage('shop', newer))
    expect(current()).toEqual(newer)
  })
})

it('a secret that does not exist has no value', async () => {
  const { store } = await serveSecret(former)
  expect([await store.exists('shop'), await store.exists('other')]).toEqual([true, false])
  expect(await store.value('other')).toBeUndefined()
})
