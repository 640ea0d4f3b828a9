import type { S3Client } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { historyOf } from '../../../console/server/document-views/history.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import type { Proof } from '../../../stored/run/proof.ts'
import { type Manifest, manifestKey } from '../../../stored/snapshots/manifest.ts'
import { ChangeSetTestbed } from '../compare/change-set-testbed.ts'

let testbed: ChangeSetTestbed
let runs: string[]

beforeEach(() => {
  testbed = new ChangeSetTestbed()
  runs = []
})

async function publish(documents: readonly string[], proof: Proof): Promise<void> {
  runs.push((await testbed.next({ documents, proof })).manifest.runId)
}

/** The history of the document `a`. */
function history() {
  const manifests = runs.map((run) => JSON.parse(testbed.text(manifestKey('CL', run)) ?? '') as Manifest)
  return historyOf(
    {
      read: async (key) => testbed.s3.objects.get(key)?.body,
      listObjects: async function* () {},
      kept: { list: async () => manifests.toReversed() },
      changes: createChangeSetStore('bucket', testbed.s3 as unknown as S3Client),
    },
    'CL',
    'a',
  )
}

/** What it shows, oldest first. */
const kinds = async () => (await history()).versions.map(({ kind }) => kind).toReversed()

it('shows where each version of a document comes from, and what changed', async () => {
  const version = (n: number) => `{"id":"a","n":${n},"note":"${'x'.repeat(600)}${n}"}`
  await publish(['{"id":"b"}', version(1)], 'exact')
  await publish(['{"id":"b"}', version(2)], 'exact')
  await publish(['{"id":"b","n":1}', '{"id":"c"}', '{"id":"d"}', '{"id":"e"}', version(2)], 'exact')
  runs.push(testbed.publish({ documents: [version(2)] }))
  runs.push(testbed.publish({ documents: [version(3)] }))
  const number = (n: number) => ({ text: String(n), length: 1 })
  const note = { text: `"${'x'.repeat(499)}`, length: 603 }
  const changes = (before: number) => [
    { name: 'n', before: number(before), after: number(before + 1) },
    { name: 'note', before: note, after: note },
  ]
  expect(await history()).toEqual({
    id: 'a',
    document: {
      id: { text: '"a"', length: 3 },
      bytes: version(3).length,
      fields: [
        { name: 'id', value: { text: '"a"', length: 3 } },
        { name: 'n', value: number(3) },
        { name: 'note', value: note },
      ],
      path: `/entities/CL/snapshots/${runs[4]}/pages/1/documents/0`,
    },
    versions: [
      { runId: runs[4], source: 'snapshot', kind: 'updated', changes: changes(2) },
      { runId: runs[3], source: 'snapshot', kind: 'unchanged', changes: [] },
      { runId: runs[2], source: 'snapshot', kind: 'unchanged', changes: [] },
      { runId: runs[1], source: 'change-set', kind: 'updated', changes: changes(1) },
      { runId: runs[0], source: 'snapshot', kind: 'present', changes: [] },
    ],
  })
})

it('is empty for a document that was never there, and has no document once it is gone', async () => {
  await publish(['{"id":"b"}'], 'exact')
  expect(await history()).toMatchObject({ document: null, versions: [{ kind: 'absent', changes: [] }] })
  await publish(['{"id":"a"}', '{"id":"b"}'], 'exact')
  await publish(['{"id":"b"}'], 'exact')
  expect(await history()).toMatchObject({ document: null, versions: [{ kind: 'deleted' }, {}, {}] })
})

describe('the history of a document that is missing from a snapshot', () => {
  const [both, one] = [['{"id":"a"}', '{"id":"b"}'], ['{"id":"b"}']]

  it('shows it as withheld until its absence is proven', async () => {
    await publish(both, 'exact')
    await publish(one, 'no-total')
    expect(await kinds()).toEqual(['present', 'withheld'])
    const [withheld] = (await history()).versions
    expect(withheld).toEqual({ runId: runs[1], source: 'change-set', kind: 'withheld', changes: [] })
    await publish(one, 'no-total')
    expect(await kinds()).toEqual(['present', 'withheld', 'deleted'])
  })

  it('shows it as updated when it reappears', async () => {
    await publish(both, 'exact')
    await publish(one, 'no-total')
    await publish(both, 'no-total')
    expect(await kinds()).toEqual(['present', 'withheld', 'updated'])
  })

  it('shows it as deleted at once if the snapshot is exact', async () => {
    await publish(both, 'exact')
    await publish(one, 'exact')
    expect(await kinds()).toEqual(['present', 'deleted'])
  })

  it.each([
    [[{ proof: 'exact' }], ['deleted']],
    [
      [{ proof: 'no-total' }, { proof: 'no-total' }],
      ['withheld', 'deleted'],
    ],
    [
      [{ absences: 'proven' }, { absences: 'proven' }],
      ['deleted', 'absent'],
    ],
    [
      [{ absences: 'unknown' }, { absences: 'unknown' }],
      ['withheld', 'withheld'],
    ],
    [
      [{ absences: 'repeatable' }, { absences: 'unknown' }, { proof: 'exact' }],
      ['withheld', 'withheld', 'deleted'],
    ],
  ] as const)('follows the same rule without change sets: %j', async (without, expected) => {
    const dated = '{"id":"a","createdIn":"2024-01-31"}'
    runs.push(testbed.publish({ documents: [dated] }))
    for (const snapshot of without) runs.push(testbed.publish({ documents: one, ...snapshot }))
    runs.push(testbed.publish({ documents: [dated] }))
    const last = expected.at(-1) === 'withheld' ? 'unchanged' : 'created'
    expect(await kinds()).toEqual(['present', ...expected, last])
  })

  it('shows a document without a date as withheld at first, if the snapshot was scrolled in ranges', async () => {
    runs.push(testbed.publish({ documents: both }))
    for (const _ of [1, 2]) runs.push(testbed.publish({ documents: one, absences: 'proven' }))
    expect(await kinds()).toEqual(['present', 'withheld', 'deleted'])
  })
})
