import type { S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { moveTable } from '../../../functions/publisher/pointers.ts'
import { connectObjects } from '../../../functions/publisher/stored-objects.aws.ts'
import { updateAthenaTable } from '../../../stored/changes/athena-table.ts'
import { changesTableKey, setManifestKey, setPrefix } from '../../../stored/changes/change-keys.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { type Manifest, manifestKey, tableKey, tableOf } from '../../../stored/snapshots/manifest.ts'
import { numbersToTry } from '../../case-count.ts'
import { ChangeSetTestbed, numberedDocuments } from '../compare/change-set-testbed.ts'
import { callsOf, withCall } from '../store-calls.ts'

/** A list that Athena reads, and a publication that changes what it must contain. */
interface AthenaList {
  /** Publishes, and updates the list. */
  readonly publish: (testbed: ChangeSetTestbed) => Promise<unknown>
  /** Updates the list, as a task that published before does. */
  readonly update: (testbed: ChangeSetTestbed) => Promise<unknown>
  readonly key: string
  readonly expected: (testbed: ChangeSetTestbed) => string
}

const client = ({ s3 }: ChangeSetTestbed) => s3 as unknown as S3Client
const documents = (testbed: ChangeSetTestbed) => numberedDocuments(1 + (testbed.chain()?.sets.length ?? 0))

function move(testbed: ChangeSetTestbed, runId: string): Promise<void> {
  const manifest = JSON.parse(testbed.text(manifestKey('CL', runId)) ?? '') as Manifest
  return moveTable({ objects: connectObjects('bucket', client(testbed)), now: Date.now }, manifest)
}

const lists: Readonly<Record<string, AthenaList>> = {
  'the parts of change sets': {
    publish: (testbed) => testbed.next({ documents: documents(testbed) }),
    update: (testbed) => {
      const changes = createChangeSetStore('bucket', client(testbed))
      return updateAthenaTable({ changes, log: () => undefined }, 'CL')
    },
    key: changesTableKey('CL'),
    expected: (testbed) =>
      (testbed.chain()?.sets ?? [])
        .flatMap(({ runId }) => testbed.set(runId).manifest.parts.map(({ key }) => `s3://bucket/${key}\n`))
        .join(''),
  },
  'the pages of a snapshot': {
    async publish(testbed) {
      const { runId } = (await testbed.next({ documents: documents(testbed) })).manifest
      await move(testbed, runId)
    },
    update: (testbed) => move(testbed, testbed.chain()?.sets[0]?.runId ?? ''),
    key: tableKey('CL'),
    expected: (testbed) => {
      const runId = testbed.chain()?.tip ?? ''
      return tableOf('bucket', JSON.parse(testbed.text(manifestKey('CL', runId)) ?? '') as Manifest)
    },
  },
}

/** Three publications, of which the list knows two. */
async function prepared({ publish, key }: AthenaList): Promise<ChangeSetTestbed> {
  const testbed = new ChangeSetTestbed()
  await publish(testbed)
  await publish(testbed)
  const before = testbed.text(key) ?? ''
  await publish(testbed)
  testbed.overwrite(key, Buffer.from(before))
  return testbed
}

async function callsOfUpdate(list: AthenaList): Promise<number> {
  const testbed = await prepared(list)
  return callsOf(testbed, () => list.update(testbed))
}

const rivals: readonly [string, (testbed: ChangeSetTestbed, list: AthenaList) => Promise<unknown>][] = [
  ['another task publishes', (testbed, list) => list.publish(testbed)],
  ['an older task writes its list', async (testbed, list) => testbed.overwrite(list.key, Buffer.from(''))],
]

describe.each(Object.entries(lists))('the list of %s', (_, list) => {
  it.each(rivals)(
    'is that of the newest publication, if %s before any call of an update',
    async (_, work) => {
      const calls = await callsOfUpdate(list)
      expect(calls).toBeGreaterThan(2)
      for (const call of numbersToTry(calls)) {
        const testbed = await prepared(list)
        const happens = { kind: 'rival', work: () => work(testbed, list) } as const
        await withCall(testbed, { call, happens }, () => list.update(testbed))
        expect(testbed.text(list.key)).toBe(list.expected(testbed))
      }
    },
  )

  it('is gone if somebody deletes the entity before any call of an update', async () => {
    const calls = await callsOfUpdate(list)
    for (const call of numbersToTry(calls)) {
      const testbed = await prepared(list)
      const happens = { kind: 'rival', work: async () => testbed.s3.objects.clear() } as const
      await withCall(testbed, { call, happens }, () => list.update(testbed))
      expect(testbed.text(list.key)).toBeUndefined()
    }
  })

  it('is complete after the next publication, wherever an update stops', async () => {
    const calls = await callsOfUpdate(list)
    for (const call of numbersToTry(calls)) {
      const testbed = await prepared(list)
      await withCall(testbed, { call, happens: { kind: 'crash' } }, () => list.update(testbed))
      await list.publish(testbed)
      expect(testbed.text(list.key)).toBe(list.expected(testbed))
    }
  })
})

it('lists every part of a set that has several', async () => {
  const testbed = await prepared(lists['the parts of change sets'] as AthenaList)
  const { manifest } = testbed.set(testbed.chain()?.tip ?? '')
  const parts = ['one', 'two', 'three'].map((name) => ({
    key: `${setPrefix('CL', manifest.runId)}records-${name}.ndjson.gz`,
    records: 1,
    bytes: 1,
    sha256: '',
  }))
  const changes = createChangeSetStore('bucket', client(testbed))
  await updateAthenaTable({ changes, log: () => undefined }, 'CL', { ...manifest, parts })
  const listed = testbed.text(changesTableKey('CL'))
  expect(listed?.split('\n').slice(-1 - parts.length, -1)).toEqual(
    parts.map(({ key }) => `s3://bucket/${key}`),
  )
})

it('leaves out a set whose manifest is gone', async () => {
  const testbed = await prepared(lists['the parts of change sets'] as AthenaList)
  testbed.s3.objects.delete(changesTableKey('CL'))
  const [, gone = '', last = ''] = testbed.chain()?.sets.map(({ runId }) => runId) ?? []
  testbed.s3.objects.delete(setManifestKey('CL', gone))
  await lists['the parts of change sets']?.update(testbed)
  const parts = testbed.set(last).manifest.parts
  expect(testbed.text(changesTableKey('CL'))).toBe(parts.map(({ key }) => `s3://bucket/${key}\n`).join(''))
})
