import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AwsError, serveAwsJson } from '../../../local/embedded/aws-json-server.ts'
import { clientSettings } from '../../../local/embedded/environment.ts'
import { createSecrets } from '../../../local/embedded/secrets-manager.ts'
import { createSecretStore } from '../../../operator/aws/secrets.aws.ts'

const former = { appKey: 'former-key', appToken: 'former-token' }
const newer = { appKey: 'newer-key', appToken: 'newer-token' }
const move = 'secretsmanager.UpdateSecretVersionStage'

/** A secret with credentials, in an account that refuses to move the stage `refused`. */
async function prepare({ refused }: { readonly refused?: string } = {}) {
  const secrets = createSecrets({ shop: JSON.stringify(former) })
  const served = await serveAwsJson({
    ...secrets.operations,
    [move]: (input) => {
      if (input.VersionStage === refused) throw new AwsError('AccessDeniedException', 'Not allowed.')
      return secrets.operations[move]?.(input)
    },
  })
  onTestFinished(() => served.close())
  const client = new SecretsManagerClient({ ...clientSettings, endpoint: served.endpoint })
  return { secrets, store: createSecretStore(client) }
}

describe('newer credentials', () => {
  it('are read by no function until they are promoted', async () => {
    const { secrets, store } = await prepare()
    const version = await store.stage('shop', newer)
    expect(JSON.parse(secrets.current('shop') ?? '')).toEqual(former)
    expect(await store.wasReplaced('shop')).toBe(false)
    const staged = store.credentials({ documents: 'shop' }, version)
    expect(await staged.get('documents')).toEqual({ ...newer, version })
    expect(await store.credentials({ documents: 'shop' }).get('documents')).toMatchObject(former)
  })

  it('replace the former ones, which AWS keeps', async () => {
    const { secrets, store } = await prepare()
    await store.promote('shop', await store.stage('shop', newer))
    expect(JSON.parse((await store.value('shop')) ?? '')).toEqual(newer)
    expect(secrets.stages('shop')).toEqual(['AWSCURRENT', 'AWSPREVIOUS'])
    expect(await store.wasReplaced('shop')).toBe(true)
  })

  it('are set although their own stage stays', async () => {
    const { secrets, store } = await prepare({ refused: 'LONGSHORE_CANDIDATE' })
    await store.promote('shop', await store.stage('shop', newer))
    expect(JSON.parse(secrets.current('shop') ?? '')).toEqual(newer)
  })

  it('are not set if AWS refuses that', async () => {
    const { secrets, store } = await prepare({ refused: 'AWSCURRENT' })
    const version = await store.stage('shop', newer)
    await expect(store.promote('shop', version)).rejects.toMatchObject({ name: 'AccessDeniedException' })
    expect(JSON.parse(secrets.current('shop') ?? '')).toEqual(former)
  })

  it('that are dropped leave no stage', async () => {
    const { secrets, store } = await prepare()
    await store.drop('shop', await store.stage('shop', newer))
    expect(secrets.stages('shop')).toEqual(['AWSCURRENT'])
  })
})

it('a secret that does not exist has no value', async () => {
  const { store } = await prepare()
  expect([await store.exists('shop'), await store.exists('other')]).toEqual([true, false])
  expect(await store.value('other')).toBeUndefined()
})
