import { createHash } from 'node:crypto'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeAll, expect, it } from 'vitest'
import { openContext } from '../../../../console/server/context.ts'
import { documentRoutes } from '../../../../console/server/document-routes.ts'
import { respondToRoute } from '../../../../console/server/routes.ts'
import { awsClients } from '../../../../operator/aws/clients.aws.ts'
import { evidenceKey, manifestKey, refusedKey } from '../../../../stored/snapshots/manifest.ts'
import { useStores } from '../../../embedded-bucket.ts'
import { entityNamed } from '../../../entity-named.ts'
import { ChangeSetTestbed } from '../../compare/change-set-testbed.ts'

useStores('bucket', 'table')

const snapshots = [
  ['{"id":"0","seen":1}', '{"id":"1","n":1}', '{"id":"2"}', '{"id":"3"}'],
  ['{"id":"1","n":2}', '{"id":"2"}', '{"id":"3"}', '{"id":"4","seen":1}'],
  ['{"id":"1","n":2}', '{"id":"2"}', '{"id":"3"}', '{"id":"4","seen":2}', '{"id":"5"}', '{"id":"6"}'],
]
const runs: string[] = []

/** Three published snapshots with their change sets. */
beforeAll(async () => {
  const testbed = new ChangeSetTestbed()
  testbed.changes = { ignore: ['seen'], maxDeletePercent: 100, keepDays: 30 }
  for (const documents of snapshots) {
    const { manifest } = await testbed.next({ documents })
    const key = manifestKey('CL', manifest.runId)
    const stored: { pages?: object } = JSON.parse(testbed.text(key) ?? '')
    const named = runs.length === 1 ? { evidence: storeEvidence(testbed, manifest.runId, stored) } : {}
    const changed = { ...stored, ...named, openedAt: openedAt(runs.length) }
    testbed.overwrite(key, Buffer.from(JSON.stringify(changed)))
    runs.push(manifest.runId)
  }
  const refused = { version: 1, entity: 'CL', runId: refusedRun }
  testbed.overwrite(refusedKey('CL', refusedRun), Buffer.from(JSON.stringify(refused)))
  const client = awsClients.bucket()
  for (const [Key, { body }] of testbed.s3.objects)
    await client.send(new PutObjectCommand({ Bucket: 'bucket', Key, Body: body }))
})

const refusedRun = '20990101T000000000Z-0123456789ab'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The evidence of a snapshot of the testbed, which has no publisher. */
function storeEvidence(testbed: ChangeSetTestbed, runId: string, { pages }: { pages?: object }) {
  const limits = { totals: 'check', totalTolerancePercent: 1, maxShrinkPercent: 30, allowEmpty: false }
  const pagesSha256 = sha256(JSON.stringify(pages))
  const counts = { uniqueIds: 4, withoutId: 0, idSum: '' }
  const of = { version: 1, entity: 'CL', runId, checkedAt: '' }
  const text = JSON.stringify({ ...of, pagesSha256, limits, ranges: [], coverage: null, ...counts })
  const key = evidenceKey('CL', runId)
  testbed.overwrite(key, Buffer.from(text))
  return { key, bytes: text.length, sha256: sha256(text) }
}

const openedAt = (index: number) => `2026-01-0${index + 2}T00:00:00.000Z`

/** What the route of a path returns, in which `r0` to `r2` are the runs. */
async function get(path: string): Promise<unknown> {
  const configuration = {
    entities: [entityNamed('CL', { changes: { ignore: ['seen'], maxDeletePercent: 10, keepDays: 30 } })],
  }
  const deployment = { configuration, bucket: 'bucket', table: 'table' }
  const routes = documentRoutes(openContext({ deployment } as never))
  const named = path.replaceAll(/\br(\d)\b/g, (_, index: string) => runs[Number(index)] ?? '')
  const url = new URL(`http://console/console/api/entities/CL/${named}`)
  const { body } = await respondToRoute(routes, { method: 'GET', url }, async () => undefined)
  if (typeof body === 'string') return JSON.parse(body)
  return Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>)).toString()
}

const text = (value: string) => ({ text: value, length: value.length })
const withoutEvidence = (run?: string) => ({
  state: 'none',
  text: `Run ${run} of CL has no evidence: an older release published it.`,
  sections: [],
})
const message = (start: string) => ({ message: expect.stringContaining(start) as string })

it.each<[path: string, response: () => unknown]>([
  [
    'snapshots',
    () => ({ published: runs[2], snapshots: [2, 1, 0].map((index) => ({ runId: runs[index] })) }),
  ],
  [
    'snapshots/r0/republish',
    () => ({
      text: 'Readers will see 4 documents as of 2026-01-02 00:00 UTC instead of 6 documents as of 2026-01-04 00:00 UTC: 1 created, 1 updated and 3 deleted.',
    }),
  ],
  ['snapshots/r0/pages/2', () => ({ page: 2, from: 0, pageDocuments: 1, documents: [{ id: text('"3"') }] })],
  ['snapshots/r0/pages/1?from=2', () => ({ from: 2, pageDocuments: 3, documents: [{ id: text('"2"') }] })],
  ['snapshots/r0/pages/3', () => message('The snapshot has fewer pages.')],
  ['snapshots/r0/pages/1/documents/1', () => ({ id: text('"1"'), fields: [{}, { value: text('1') }] })],
  ['snapshots/r0/pages/1/documents/x', () => message('A position is not a whole number.')],
  [
    'snapshots/r1/documents?id=4',
    () => ({ id: text('"4"'), path: `/entities/CL/snapshots/${runs[1]}/pages/2/documents/0` }),
  ],
  ['snapshots/r1/documents?id=0', () => null],
  [
    'snapshots/r1/evidence',
    () => ({
      state: 'intact',
      text: expect.stringContaining('has the SHA-256') as string,
      sections: [{ title: 'Snapshot' }],
    }),
  ],
  ['snapshots/r0/evidence', () => withoutEvidence(runs[0])],
  [`snapshots/${refusedRun}/evidence`, () => withoutEvidence(refusedRun)],
  ['snapshots/x/evidence', () => message('This snapshot does not exist.')],
  ['snapshots/r1/download', () => snapshots[1]?.map((line) => `${line}\n`).join('')],
  [
    'history?id=1',
    () => ({
      id: '1',
      versions: [{ runId: runs[2] }, { runId: runs[1], kind: 'updated' }, { runId: runs[0] }],
    }),
  ],
  [
    'changes/r1',
    () => ({ set: { runId: runs[1], base: runs[0], created: 1, updated: 1, deleted: 1 }, from: 0, total: 3 }),
  ],
  ['changes/r2?from=1', () => ({ from: 1, total: 2, records: [{ id: text('"6"') }] })],
  ['changes/r1/records/0', () => ({ kind: 'deleted', id: text('"0"') })],
  ['changes/r1/records/9', () => message('The change set has fewer records.')],
  ['changes/r1/summary', () => ({ lines: expect.arrayContaining(['n changed in 1 document, sum +1.']) })],
  ['changes/x', () => message('This change set does not exist')],
])('responds to %s', async (path, response) => {
  expect({ response: await get(path) }).toMatchObject({ response: response() })
})
