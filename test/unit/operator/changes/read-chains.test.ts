import { PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeAll, expect, it } from 'vitest'
import { changesLatestKey, refusedChangesKey } from '../../../../functions/state/changes/changes.ts'
import { latestKey } from '../../../../functions/state/snapshots/manifest.ts'
import { readAttention, scheduleState } from '../../../../operator/attention/read.ts'
import { awsClients } from '../../../../operator/aws/clients.aws.ts'
import { readPublishedChain } from '../../../../operator/changes/published-chain.ts'
import { readChains } from '../../../../operator/changes/read-chains.ts'
import { useBucket } from '../../../embedded-bucket.ts'
import { entityNamed } from '../../../entity-named.ts'

const bucket = 'snapshots'
const publishedAt = '2026-11-21T10:00:00.000Z'
const now = () => Date.parse('2026-11-21T12:00:00Z')
/** Published as r2, each with another chain. */
const names = ['current', 'refused', 'failed', 'off', 'none']
const entities = names.map((name) => entityNamed(name, name === 'off' ? { changes: false } : {}))
const deployment = { bucket, configuration: { name: 'L', entities }, now } as never
const snapshot = { runId: 'r2', publishedAt, documents: 3, manifest: '' }
const refused = {
  entity: 'refused',
  runId: 'r2',
  base: 'r1',
  refusedAt: publishedAt,
  deleted: 2,
  baseDocuments: 3,
}

useBucket(bucket)
beforeAll(async () => {
  const put = (Key: string, content: object) =>
    awsClients.bucket().send(new PutObjectCommand({ Bucket: bucket, Key, Body: JSON.stringify(content) }))
  const chain = (tip: string) => ({ tip, sets: [], announced: true, reset: null, failures: null })
  for (const name of names) await put(latestKey(name), snapshot)
  await put(changesLatestKey('current'), chain('r2'))
  for (const name of ['refused', 'failed', 'off']) await put(changesLatestKey(name), chain('r1'))
  await put(refusedChangesKey('refused', 'r2'), { version: 1, ...refused })
})

it('reads whether the change sets lead to the published snapshots, and skips those that are off', async () => {
  const unpublished = { entity: 'new', snapshot: null }
  const stateOf = await readChains(deployment, [
    ...names.map((entity) => ({ entity, snapshot })),
    unpublished,
  ] as never)
  expect([...names, 'new', 'unknown'].map((name) => stateOf(name).kind)).toEqual([
    'current',
    'refused',
    'failed',
    'off',
    'none',
    'none',
    'none',
  ])
})

it.each([
  ['current', { published: 'r2', state: { kind: 'current' } }],
  ['refused', { published: 'r2', state: { kind: 'refused', tip: 'r1', deleted: 2 } }],
  ['new', { published: undefined, state: { kind: 'none' } }],
])('reads what is published of one entity and where its chain ends: %s', async (entity, expected) => {
  expect(await readPublishedChain(deployment, entity)).toMatchObject(expected)
})

it('reads what waits for a person, with a command for this deployment', async () => {
  const view = { enabled: true, schedule: 'rate(6 hours)', running: null, snapshot, runs: [] }
  const views = names.map((entity) => ({ entity, ...view })) as never
  const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
  const items = await readAttention(deployment, { views, schedules: undefined, target })
  expect(items.map(({ kind, entities: named, command }) => [kind, named[0], command])).toEqual([
    ['changes-refused', 'refused', 'npx --no-install longshore review r2 --name Shop'],
    ['changes-failed', 'failed', 'npx --no-install longshore sync failed --watch --name Shop'],
  ])
})

const fact = { definition: { entity: 'CL', starts: 'full' } } as never
const stacks = { kind: 'stacks', config: undefined, name: 'Shop' } as const
it.each([
  ['is the deployed one', [fact], stacks, { kind: 'deployed', fact }],
  ['is not deployed', [], stacks, { kind: 'not-deployed', deploy: 'npm run deploy -- -c name=Shop' }],
  ['is unknown if it could not be read', undefined, stacks, { kind: 'unknown' }],
  ['is unknown of npm start', [], { kind: 'local', path: '' } as const, { kind: 'unknown' }],
])('the schedule of an entity %s', (...[, schedules, target, expected]) => {
  expect(scheduleState('CL', schedules, target)).toEqual(expected)
})
