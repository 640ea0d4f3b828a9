import { changesLatestKey, setManifestKey } from '../../stored/changes/change-keys.ts'
import { manifestKey } from '../../stored/snapshots/manifest.ts'
import { countCalls } from '../../test/counted-calls.ts'
import { documentAt, IncrementTestbed } from '../../test/unit/worker/increment/increment-testbed.ts'
import { costOfIncrement } from '../increment-cost.ts'
import { atMost, figure, median, type Report } from '../report.ts'

const upstreamMs = 50
const changedDocuments = 500
const incrementsPerMonth = 8_640
const sizes = [10_000, 1_000_000, 10_000_000] as const

/** Increments of entities of different sizes, and a comparison after a day of them. Everything but the code is in memory. */
export async function benchIncrements({ quick }: { quick: boolean }): Promise<Report> {
  const repeats = quick ? 3 : 15
  const measured = []
  for (const size of sizes) measured.push({ size, ...(await incrementOf(size, repeats)) })
  const [small, ...larger] = measured
  const ratios = larger.map(({ workerMs }) => workerMs / (small?.workerMs ?? 1))
  const last = measured.at(-1)
  const ratio = await comparisonRatio(quick ? 5_000 : 50_000)
  return {
    title: `10. Increments of ${changedDocuments} changed documents, upstream ${upstreamMs} ms per request, stores in memory`,
    columns: ['documents of the entity', 'requests', 'worker ms', '$ per month'],
    rows: measured.map(({ size, requests, workerMs, dollars }) => [
      String(size),
      String(requests),
      figure(workerMs),
      figure(dollars),
    ]),
    targets: [
      atMost('Requests of an increment', last?.requests ?? 0, '6 requests'),
      atMost('Worker time of an increment', (last?.workerMs ?? 0) / 1000, '2 s'),
      atMost('A larger entity, compared with 10,000 documents', Math.max(...ratios), '1.1 x'),
      atMost(`${incrementsPerMonth} increments`, last?.dollars ?? 0, '0.5 $'),
      atMost('Processor time of a comparison after 288 increments', ratio, '1.15 x'),
    ],
    notes: ['The time of calls of AWS is not included. Prices: bench/prices.ts.'],
  }
}

/** An entity of this size that has a snapshot, of which no increment reads a page. */
function entityOf(size: number): IncrementTestbed {
  const testbed = new IncrementTestbed()
  testbed.entity = { ...testbed.entity, pageSize: 1000 }
  testbed.requestMs = upstreamMs
  const runId = '20310101T000000000Z-000000000000'
  const pages = Array.from({ length: size / 1000 }, (_, page) => ({
    key: `snapshots/CL/${runId}/a1-p${page}.ndjson.gz`,
    documents: 1000,
    bytes: 100_000,
    sha256: '0'.repeat(64),
  }))
  const snapshot = {
    runId,
    openedAt: new Date(testbed.now - 60_000).toISOString(),
    query: {},
    idField: 'id',
    ignore: ['seen'],
    uniqueIds: size,
  }
  const put = (key: string, value: object) =>
    void testbed.s3.objects.set(key, { body: Buffer.from(JSON.stringify(value)), etag: `"${key.length}"` })
  put(manifestKey('CL', runId), { version: 1, entity: 'CL', ...snapshot, documents: size, pages })
  const set = { version: 1, entity: 'CL', runId, base: null, kind: 'reset', idField: 'id', ignore: ['seen'] }
  put(setManifestKey('CL', runId), {
    ...set,
    snapshot: manifestKey('CL', runId),
    parts: [],
    withheldParts: [],
  })
  put(changesLatestKey('CL'), {
    tip: runId,
    sets: [],
    announced: true,
    reset: null,
    failures: null,
    snapshot,
  })
  return testbed
}

async function incrementOf(size: number, repeats: number) {
  const testbed = entityOf(size)
  const times: number[] = []
  let requests = 0
  const calls = countCalls(testbed)
  for (let repeat = 0; repeat <= repeats; repeat++) {
    const created = testbed.now - 86_400_000
    testbed.documents = Array.from({ length: changedDocuments }, (_, id) =>
      documentAt(repeat * changedDocuments + id, 'x'.repeat(800), { created, updated: testbed.now }),
    )
    const before = testbed.targets.length
    calls.reset()
    const startedAt = process.hrtime.bigint()
    await testbed.increment(60_000)
    const ownMs = Number(process.hrtime.bigint() - startedAt) / 1e6
    requests = testbed.targets.length - before
    // The first one compiles the code.
    if (repeat > 0) times.push(ownMs + requests * upstreamMs)
  }
  const workerMs = median(times)
  return { requests, workerMs, dollars: incrementsPerMonth * costOfIncrement(workerMs, calls.counts) }
}

/** The processor time of a comparison after a day of increments, compared with one without them. */
async function comparisonRatio(documents: number): Promise<number> {
  const times = { with: Number.POSITIVE_INFINITY, without: Number.POSITIVE_INFINITY }
  for (let repeat = 0; repeat < 3; repeat++)
    for (const kind of ['with', 'without'] as const)
      times[kind] = Math.min(times[kind], await comparisonMs(documents, kind))
  return times.with / times.without
}

async function comparisonMs(documents: number, kind: 'with' | 'without'): Promise<number> {
  const testbed = new IncrementTestbed()
  testbed.entity = { ...testbed.entity, pageSize: 1000 }
  testbed.requestMs = 1
  const created = testbed.now - 10 * 86_400_000
  const text = 'x'.repeat(800)
  testbed.documents = Array.from({ length: documents }, (_, id) => documentAt(id, text, { created }))
  await testbed.sync()
  const perIncrement = 10
  for (let at = 0; at < 288; at++) {
    for (let one = 0; one < perIncrement; one++) {
      const id = (at * perIncrement + one) % documents
      testbed.documents[id] = documentAt(id, `${at}${text}`, { created, updated: testbed.now })
    }
    if (kind === 'with') await testbed.increment()
    else testbed.now += 5 * 60_000
  }
  testbed.now += 2 * 3_600_000
  const { runId, status } = await testbed.stepToEnd()
  if (status !== 'published') throw new Error('The sync was not published.')
  const before = process.cpuUsage()
  await testbed.compare(runId)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
