import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DeleteObjectsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { awsClients } from '../../../../operator/aws/clients.aws.ts'
import { type UpdatedFile, updatePulled } from '../../../../operator/changes/update-pulled.ts'
import { defaultInstancePath } from '../../../../operator/deployment/local-address.ts'
import { type Failure, failureOf } from '../../../../operator/errors.ts'
import { readPulledFile, writePulledFile } from '../../../../operator/snapshot/pulled-file.ts'
import { refusedChangesKey } from '../../../../stored/changes/change-keys.ts'
import { latestKey, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { useBucket } from '../../../embedded-bucket.ts'
import { type FixtureSet, publishChain } from '../../../integration/change-set-fixture.ts'

const bucket = 'snapshots'
useBucket(bucket)
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  return () => rmSync(folder, { recursive: true })
})

const [a, b, withheld] = ['{"id":"a","n":1}', '{"id":"b"}', '{"id":"w"}']
const changed = '{"id":"a","n":2}'
const first: FixtureSet = {
  runId: 'r2',
  base: 'r1',
  records: [`{"op":"u","id":"a","before":${a},"after":${changed}}`],
  counts: { created: 0, updated: 1, deleted: 0 },
  state: new Map(Object.entries({ a: changed, b })),
}
/** A set in which nothing changed, and which withholds a document. */
const second: FixtureSet = {
  runId: 'r3',
  base: 'r2',
  records: [],
  counts: { created: 0, updated: 0, deleted: 0 },
  withheld: [withheld],
  state: new Map(first.state).set('w', withheld),
}

const file = () => join(folder, 'CL.ndjson')
const downloadAgain = () =>
  `download it again: npx --no-install longshore --local pull CL -o ${file()} --force`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const linesOf = (...documents: readonly string[]) => documents.map((document) => `${document}\n`).join('')

/** Publishes the snapshot of a run, and what its comparison refused. */
async function publish(runId: string, publishedAt: string, base?: string): Promise<void> {
  const put = (Key: string, content: object) =>
    awsClients.bucket().send(new PutObjectCommand({ Bucket: bucket, Key, Body: JSON.stringify(content) }))
  await put(latestKey('CL'), { runId, manifest: '', publishedAt, documents: 2 })
  if (base === undefined) return
  const refused = { entity: 'CL', runId, base, refusedAt: publishedAt, deleted: 1, baseDocuments: 2 }
  await put(refusedChangesKey('CL', runId), { version: 1, ...refused })
}

async function unpublish(runId: string): Promise<void> {
  const Objects = [latestKey('CL'), refusedChangesKey('CL', runId)].map((Key) => ({ Key }))
  await awsClients.bucket().send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }))
}

/** Publishes the snapshot of a run with these documents, until the test ends. */
async function publishSnapshot(runId: string, documents: readonly string[]): Promise<void> {
  onTestFinished(() => unpublish(runId))
  const body = gzipSync(linesOf(...documents))
  const page = { key: `snapshots/CL/${runId}/page`, documents: documents.length, bytes: body.length }
  const digest = createHash('sha256').update(body).digest('hex')
  const count = documents.length
  const head = { version: 1, entity: 'CL', runId, idField: 'id', proof: 'exact', finishedAt: '' }
  const counts = { pageSize: 1, attempts: 1, documents: count, uniqueIds: count }
  const manifest = { ...head, ...counts, pages: [{ ...page, sha256: digest }] }
  const latest = { runId, manifest: manifestKey('CL', runId), publishedAt: '', documents: documents.length }
  const objects = [
    [page.key, body],
    [manifestKey('CL', runId), JSON.stringify(manifest)],
    [latestKey('CL'), JSON.stringify(latest)],
  ] as const
  for (const [Key, Body] of objects)
    await awsClients.bucket().send(new PutObjectCommand({ Bucket: bucket, Key, Body }))
}

/** A file that was pulled from a run. */
async function pull(runId: string, documents: readonly string[], change: object = {}): Promise<void> {
  const text = linesOf(...documents)
  const uniqueIds = new Set(documents.map((document) => JSON.parse(document).id)).size
  writeFileSync(file(), text)
  const pulled = { entity: 'CL', runId, documents: documents.length, uniqueIds, sha256: sha256(text) }
  await writePulledFile(file(), { ...pulled, ...change })
}

/** Documents that the numbers of an update leave unexplained. */
function unaccountedIn(updated: UpdatedFile | Failure): number {
  if (!('added' in updated && updated.isChanged)) return 0
  const { documentsBefore, totals, added, documents } = updated
  return documentsBefore + totals.created - totals.deleted + added.withheld + added.delivered - documents
}

async function update(
  sets: readonly FixtureSet[],
  signal = new AbortController().signal,
  chain: { readonly unlisted?: number; readonly isErased?: boolean } = {},
) {
  await publishChain({ s3: awsClients.bucket(), bucket, ...chain }, 'CL', sets)
  const progress = { shown: [] as unknown[], ends: 0 }
  const operation = {
    deployment: { bucket, configuration: { entities: [{ name: 'CL' }] }, now: Date.now },
    target: { kind: 'local', path: defaultInstancePath },
    reporter: {
      progress: (title: string) => ({
        show: (...step: unknown[]) => void progress.shown.push([title, ...step]),
        end: () => void progress.ends++,
      }),
    },
    signal,
  }
  const result = await updatePulled({ entity: 'CL', file: file() }, operation as never).catch(failureOf)
  expect(unaccountedIn(result)).toBe(0)
  expect(progress.ends).toBeGreaterThan(0)
  const text = existsSync(file()) ? readFileSync(file(), 'utf8') : undefined
  return { result, text, progress: progress.shown }
}

describe('a pulled file', () => {
  it('is brought to the state at the tip, and remembered as a file of that run', async () => {
    await pull('r1', [a, b])
    const { result, text, progress } = await update([first, second])
    expect(result).toMatchObject({ range: { since: 'r1', tip: 'r3' }, documents: 3, isChanged: true })
    expect(text).toBe(linesOf(changed, b, withheld))
    expect(progress).toEqual([['CL', 2, 2]])
    const pulled = { entity: 'CL', runId: 'r3', documents: 3, uniqueIds: 3, sha256: sha256(text ?? '') }
    expect(await readPulledFile(file())).toEqual({ version: 1, ...pulled })
    expect(readdirSync(folder).toSorted()).toEqual(['CL.ndjson', 'CL.ndjson.longshore.json'])
  })

  it('counts a document that its snapshot lacks as withheld, also if the next set deletes it', async () => {
    await pull('r3', [changed, b])
    const last: FixtureSet = {
      runId: 'r4',
      base: 'r3',
      records: [`{"op":"d","id":"w","before":${withheld}}`],
      counts: { created: 0, updated: 0, deleted: 1 },
      state: first.state,
    }
    const { result, text } = await update([first, second, last])
    expect(result).toMatchObject({ totals: { deleted: 1 }, added: { withheld: 1 }, documents: 2 })
    expect(text).toBe(linesOf(changed, b))
  })

  it.each([
    ['pending', new Date().toISOString(), undefined],
    ['failed', '2026-01-01T00:00:00.000Z', undefined],
    ['refused', '2026-01-01T00:00:00.000Z', 'r2'],
  ])(
    'of the published run is not updated while its comparison is %s',
    async (...[kind, publishedAt, base]) => {
      await publish('r3', publishedAt, base)
      onTestFinished(() => unpublish('r3'))
      await pull('r3', [a, b])
      const ahead = await update([first])
      const range = { since: 'r3', tip: 'r3', sets: [] }
      expect(ahead.result).toMatchObject({ range, documents: 2, isChanged: false, chain: { kind } })
      expect(ahead.text).toBe(linesOf(a, b))
      await pull('r1', [a, b])
      const { result } = await update([first])
      expect(result).toMatchObject({ range: { tip: 'r2' }, isChanged: true, chain: { kind } })
    },
  )

  // The state of the tip has the documents a and b.
  it.each([
    ['is up to date if it has the documents of the tip', [changed, b], false, [changed, b]],
    ['lacks the documents that the tip withholds', [changed], true, [changed, b]],
    ['may repeat ids, and the last line of each stays', [b, a, changed], true, [b, changed]],
    ['may repeat ids although it has as many lines as the state', [a, changed], true, [changed, b]],
  ])('of the run of the tip %s', async (...[, documents, isChanged, after]) => {
    await pull('r2', documents)
    const { result, text } = await update([{ ...first, withheld: [b] }])
    expect(result).toMatchObject({ range: { since: 'r2', tip: 'r2', sets: [] }, documents: 2, isChanged })
    expect(text).toBe(linesOf(...after))
  })

  it('of the run of the tip receives what increments delivered, of which its snapshot has older versions', async () => {
    await pull('r2', [a, b])
    const { result, text } = await update([{ ...first, held: [changed] }])
    expect(result).toMatchObject({ range: { tip: 'r2', sets: [] }, isChanged: true })
    expect(text).toBe(linesOf(changed, b))
  })

  const [delivered, again] = ['{"id":"a","n":3}', '{"id":"c"}']
  const record = (id: string, after: string) => `{"op":"r","id":"${id}","after":${after}}`
  /** Two increments after a set that withholds a document, and a full set that follows them. */
  const increments: FixtureSet[] = [
    { ...first, withheld: [withheld] },
    { runId: 'r3', base: 'r2', records: [record('c', '{"id":"c","old":1}')], state: new Map() },
    { runId: 'r4', base: 'r3', records: [record('a', delivered), record('c', again)], state: new Map() },
  ]
  const full: FixtureSet = {
    runId: 'r5',
    base: 'r4',
    records: [`{"op":"d","id":"b","before":${b}}`],
    counts: { created: 0, updated: 0, deleted: 1 },
    state: new Map(Object.entries({ a: delivered, c: again, w: withheld })),
    withheld: [withheld],
  }

  it('is brought to the last increment, which the update after the next full set verifies', async () => {
    await pull('r1', [a, b])
    const { result, text } = await update(increments)
    expect(result).toMatchObject({
      range: { since: 'r1', tip: 'r4' },
      totals: { created: 0, updated: 1, deleted: 0, delivered: 3 },
      documents: 4,
      isVerified: false,
    })
    expect(text).toBe(linesOf(delivered, b, withheld, again))
    expect(await update(increments)).toMatchObject({ result: { isChanged: false, documents: 4 }, text })

    const next = await update([...increments, full])
    expect(next.result).toMatchObject({ range: { since: 'r4', tip: 'r5' }, documents: 3, isVerified: true })
    expect(next.text).toBe(linesOf(delivered, withheld, again))
  })

  it("of the chain's snapshot begins with what the tip names, although the list lacks its first increment", async () => {
    await pull('r2', [changed, b])
    const { result, text } = await update(increments, undefined, { unlisted: 3 })
    expect(result).toMatchObject({
      range: { since: 'r2', tip: 'r4', sets: [{ runId: 'r4' }] },
      totals: { delivered: 3 },
    })
    expect(text).toBe(linesOf(delivered, b, withheld, again))
  })

  const erased = { isErased: true }

  it('that cannot be brought to the tip, since documents that the tip needs were erased, is downloaded again', async () => {
    const downloadedAgain = `Nothing leads from run r2 to the tip r4: a part of what this takes was erased.`
    await publishSnapshot('r5', [delivered, again])
    await pull('r2', [changed, b])
    expect(await update(increments, undefined, erased)).toMatchObject({
      result: { range: { since: 'r5', tip: 'r5', sets: [] }, documents: 2, isChanged: true, downloadedAgain },
      text: linesOf(delivered, again),
    })
  })

  it('of the published snapshot stays as it is while what would be added to it is erased', async () => {
    await publishSnapshot('r2', [changed, b])
    await pull('r2', [changed, b])
    expect(await update(increments, undefined, erased)).toMatchObject({
      result: { range: { since: 'r2', tip: 'r2', sets: [] }, isChanged: false, chain: { kind: 'pending' } },
      text: linesOf(changed, b),
    })
  })

  it('that was updated to the tip is up to date although nobody can begin there', async () => {
    await pull('r4', [delivered, b, withheld, again])
    expect((await update(increments, undefined, erased)).result).toMatchObject({ isChanged: false })
  })

  it('is unchanged by a set or a record of a newer release', async () => {
    await pull('r1', [a, b])
    const unknown = { ...first, records: [`{"op":"t","id":"a","after":${changed}}`] }
    expect(await update([unknown])).toMatchObject({
      result: {
        message:
          'A change set has a record with the operation "t", which this release of Longshore does not know.',
        fix: 'use the release that is deployed, or a newer one',
      },
      text: linesOf(a, b),
    })
  })

  it.each<[name: string, change: object, message: string, hasFix: boolean]>([
    ['contains another entity', { entity: 'AD' }, 'contains documents of AD, not of CL.', false],
    ['was modified', { sha256: 'x' }, 'was modified after longshore pull wrote it.', true],
    ['was written by another program', { documents: 'two' }, 'was not written by longshore pull.', true],
  ])('is not updated if it %s', async (...[, change, message, hasFix]) => {
    await pull('r1', [a, b], change)
    const { result, text } = await update([first])
    const fix = hasFix ? downloadAgain() : undefined
    expect(result).toEqual({ kind: 'problem', message: `${file()} ${message}`, fix })
    expect(text).toBe(linesOf(a, b))
  })

  it('is not updated if only what pull remembers of it exists', async () => {
    await pull('r1', [a, b])
    rmSync(file())
    expect(await update([first])).toMatchObject({
      result: { message: `${file()} was not written by longshore pull.` },
      text: undefined,
    })
  })

  it.each([
    ['lacks a document', [a], 'would have 2 documents; the change set has 3.'],
    ['has another document', [a, '{"id":"x"}'], 'would have other documents than the change set.'],
    [
      'has a wrong version',
      [a, '{"id":"b","n":0}'],
      'would have other versions of documents than the change set.',
    ],
  ])('that %s is downloaded again, and updated', async (_, documents, difference) => {
    await publishSnapshot('r2', [changed, b])
    await pull('r1', documents)
    const { result, text } = await update([first, second])
    const downloadedAgain = `The updated ${file()} ${difference}`
    const counts = { documents: 3, isVerified: true, isChanged: true }
    expect(result).toMatchObject({ range: { since: 'r2', tip: 'r3' }, ...counts, downloadedAgain })
    expect(text).toBe(linesOf(changed, b, withheld))
  })

  it('has the published snapshot if even from there the change sets lead to another state', async () => {
    await publishSnapshot('r1', [a, b])
    await pull('r1', [a, b])
    const { result, text } = await update([{ ...first, state: new Map([['c', '{"id":"c"}']]) }])
    expect(result).toEqual({
      kind: 'problem',
      message:
        'The change sets do not lead from their snapshot to the state that they promise: ' +
        `The updated ${file()} would have 2 documents; the change set has 1. ${file()} has the published snapshot.`,
      fix: 'start the change sets again: npx --no-install longshore --local changes CL --reset, then npx --no-install longshore --local sync CL --watch',
    })
    expect(text).toBe(linesOf(a, b))
  })

  it('is unchanged if it would differ and nothing is published', async () => {
    await pull('r1', [a])
    expect(await update([first])).toMatchObject({ result: { kind: 'problem' }, text: linesOf(a) })
  })

  it('is unchanged after an interrupt', async () => {
    await pull('r1', [a, b])
    const { result, text } = await update([first], AbortSignal.abort())
    expect(result).toEqual({ kind: 'interrupted', message: `Interrupted. ${file()} was not changed.` })
    expect(text).toBe(linesOf(a, b))
  })
})
