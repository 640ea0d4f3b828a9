import { hash } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { changesLatestKey, setManifestKey } from '../../../stored/changes/change-keys.ts'
import { entityNamed } from '../../entity-named.ts'
import { SyncApiTestbed } from './sync-api-testbed.ts'

let testbed: SyncApiTestbed
const runId = '20260301T060000000Z-0123456789ab'
const manifest = setManifestKey('CL', runId)
const text = JSON.stringify({ version: 1, runId }, null, 1)
const put = (key: string, body: string) =>
  testbed.s3.objects.set(key, { body: Buffer.from(body), etag: '"1"' })

beforeEach(() => {
  testbed = new SyncApiTestbed()
  put(manifest, text)
  put(changesLatestKey('CL'), JSON.stringify({ tip: runId, sets: [] }))
})

const tip = async () => (await testbed.readSync()).body.tip

it('GET /syncs/{entity} names the hash of the manifest of the tip', async () =>
  expect(await tip()).toEqual({ runId, manifest, sha256: hash('sha256', text) }))

it.each(['{', '{"version":2}'])(
  'GET /syncs/{entity} has no hash if the manifest of the tip is %s',
  async (text) => {
    put(manifest, text)
    expect(await tip()).toEqual({ runId, manifest, sha256: null })
  },
)

it('GET /syncs/{entity} has no tip before the first set, and without change sets', async () => {
  const { entities } = testbed
  testbed.entities = [entityNamed('CL', { changes: false })]
  expect(await tip()).toBeNull()
  testbed.entities = entities
  testbed.s3.objects.delete(changesLatestKey('CL'))
  expect(await tip()).toBeNull()
})
