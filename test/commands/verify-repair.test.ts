import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readCompareTask } from '../../functions/compare/request.ts'
import { runCompareTask } from '../../functions/compare/run-task.ts'
import { changesLatestKey } from '../../stored/changes/change-keys.ts'
import { evidenceKey, latestKey, manifestKey } from '../../stored/snapshots/manifest.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'
import { comparisonOn } from '../integration/embedded-stores.ts'

let world: CliWorld
let published: Readonly<Record<'first' | 'last', string>>
beforeAll(async () => {
  world = await startCliWorld()
  const runs: string[] = []
  for (let run = 0; run < 2; run++) {
    await publish()
    runs.push((await world.snapshot('CL')).manifest.runId)
  }
  const [first = '', last = ''] = runs
  published = { first, last }
})
afterAll(() => world.close())

async function publish(): Promise<void> {
  await world.world.sync('CL')
  const entities = world.world.settings.entities
  const comparison = comparisonOn(world.stores, Date.now, () => entities)
  await runCompareTask(comparison, entities, readCompareTask({ task: 'compare', entity: 'CL' }))
}

const at = (Key: string) => ({ Bucket: world.stores.bucket, Key })

async function read(key: string): Promise<unknown> {
  const { Body } = await world.stores.s3.send(new GetObjectCommand(at(key)))
  return JSON.parse((await Body?.transformToString()) ?? '')
}

const put = (key: string, text: string) =>
  world.stores.s3.send(new PutObjectCommand({ ...at(key), Body: text }))

/** As if a week had passed since it was overwritten. */
async function deleteVersions(key: string): Promise<void> {
  const { Bucket } = at(key)
  const { Versions = [] } = await world.stores.s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: key }))
  const Objects = Versions.map(({ Key = '', VersionId }) => ({ Key, VersionId }))
  await world.stores.s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
}

it('verify --evidence prints what the published snapshot, or that of a run, is proven from', async () => {
  const { code, stdout } = await world.longshore('verify CL --evidence')
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^Snapshot\\n {2}Entity +CL\\n {2}Run +${published.last}\\n`))
  expect(stdout).toContain('\n95 unique ids in the stored pages; the platform reported 95; ')
  const older = await world.longshore(`verify CL --evidence --run ${published.first} --json`)
  expect(older).toMatchObject({ code: 0 })
  expect(JSON.parse(older.stdout)).toEqual(await read(evidenceKey('CL', published.first)))
})

it('verify --evidence names the object that differs, and both hashes', async () => {
  const key = evidenceKey('CL', published.last)
  const before = await read(key)
  await put(key, '{}')
  const { code, stdout } = await world.longshore('verify CL --evidence')
  expect(code).toBe(1)
  expect(stdout).toMatch(new RegExp(`${key}: its SHA-256 is \\S{64}; the manifest has \\S{64}\\.`))
  await put(key, JSON.stringify(before, null, 1))
  expect(await world.longshore('verify CL --evidence')).toMatchObject({ code: 0 })
})

const latest = () => latestKey('CL')
const manifest = () => manifestKey('CL', published.last)
const rubbish = (key: string) => put(key, 'rubbish')

it.each<[damage: string, keyOf: () => string, damage: (key: string) => Promise<unknown>]>([
  ['latest.json was overwritten', latest, rubbish],
  ['latest.json is JSON of something else', latest, (key) => put(key, '{"runId":1}')],
  ['latest.json was deleted', latest, (key) => world.stores.s3.send(new DeleteObjectCommand(at(key)))],
  ['latest.json was overwritten long ago', latest, (key) => deleteVersions(key).then(() => rubbish(key))],
  ['the list of change sets was overwritten', () => changesLatestKey('CL'), rubbish],
])('verify --repair restores the published snapshot if %s', async (_, keyOf, damage) => {
  const key = keyOf()
  const before = await read(key)
  await damage(key)
  const found = await world.longshore('verify CL')
  expect(found.code).toBe(1)
  expect(await world.longshore('verify CL --repair')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Restored an intact version of ${key}.`) as string,
  })
  expect(await read(key)).toEqual(before)
  expect(await world.longshore('verify CL')).toMatchObject({ code: 0 })
})

it('verify --repair names what helps if no version is intact', async () => {
  await deleteVersions(manifest())
  await rubbish(manifest())
  const { code, stderr } = await world.longshore('verify CL --repair')
  expect(code).toBe(1)
  expect(stderr).toContain(`${manifest()} is not JSON. No older version is intact.`)
  const [, remove = ''] = /aws s3 rm s3:\/\/(\S+)\)/.exec(stderr) ?? []
  await world.stores.s3.send(new DeleteObjectCommand(at(remove.slice(world.stores.bucket.length + 1))))
  await publish()
  expect(await world.longshore('verify CL')).toMatchObject({ code: 0 })
})
