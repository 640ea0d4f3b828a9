import { hash } from 'node:crypto'
import { argv } from 'node:process'
import { gzipSync } from 'node:zlib'
import { checkRun } from '../../functions/publisher/check-run.ts'
import type { Publisher } from '../../functions/publisher/ports.ts'
import { resolveConfig, settingsOf } from '../../lib/config.ts'
import type { CommittedEnd, CommittedPage } from '../../stored/pages/page.ts'
import { newRun } from '../../stored/run/run.ts'
import { report } from '../report.ts'
import { makePages } from '../servers/pages.ts'

/** Checks a run with generated page items and pages. The time in which the pages are generated does not count. */
const documents = Number(argv[2])
const pages = makePages({ documents, bytes: 1024, pageSize: 1000 })
const { entities } = settingsOf(
  resolveConfig({
    upstream: { baseUrl: 'https://example.com' },
    entities: [{ name: 'BENCH', schedule: 'rate(1 day)' }],
  }),
)
const [entity] = entities
if (!entity) throw new Error('The configuration has no entity.')
const runId = '20261121T000000000Z-0123456789ab'
const run = newRun({ runId, entity, acceptShrink: false, execution: undefined, now: Date.now() })
const cursor = { token: 'T', pageSize: 1000, total: documents, openedAt: 1, respondedAt: 1, repeatedPages: 0 }
const request = '/api/dataentities/BENCH/scroll?_size=1000'
const response = { at: 1, status: 200, total: String(documents) }

function objectOf(body: Buffer): Buffer {
  const lines = Buffer.concat([body.subarray(1, -1), Buffer.from('\n')])
  for (let at = lines.indexOf('},{'); at >= 0; at = lines.indexOf('},{', at)) lines[at + 1] = 0x0a
  return gzipSync(lines, { level: 1 })
}

function itemOf(index: number): CommittedPage {
  const body = pages.page(index)
  const object = objectOf(body)
  const page = index + 1
  return {
    ...cursor,
    kind: 'page',
    page,
    documentsSoFar: Math.min(documents, page * 1000),
    key: `snapshots/BENCH/${runId}/a1-p${String(page).padStart(6, '0')}-x.ndjson.gz`,
    documents: Math.min(1000, documents - index * 1000),
    documentsWithoutId: 0,
    bytes: object.length,
    sha256: hash('sha256', object),
    received: {
      request,
      exchanges: [{ ...response, bodyBytes: body.length }],
      bodySha256: hash('sha256', body),
      spaceBytes: 0,
      replacesLineBreaks: false,
    },
  }
}

const items = Array.from({ length: pages.count }, (_, index) => itemOf(index))
const end: CommittedEnd = {
  ...cursor,
  kind: 'end',
  page: pages.count + 1,
  documentsSoFar: documents,
  id: 'end',
  isConfirmed: true,
  received: { request, exchanges: [{ ...response, bodyBytes: 2, details: { headers: {}, body: '[]' } }] },
}

const results = new Map<string, Buffer>()
let generatingMs = 0
async function read(key: string) {
  const [, page] = /-p(\d+)-x\.ndjson\.gz$/.exec(key) ?? []
  const startedAt = performance.now()
  const bytes = page === undefined ? results.get(key) : objectOf(pages.page(Number(page) - 1))
  generatingMs += performance.now() - startedAt
  return bytes && { bytes, etag: '' }
}
const publisher: Publisher = {
  items: {
    readRun: async () => run,
    readIncrement: async () => undefined,
    readAcceptedChanges: async () => undefined,
    readPages: async () => [...items, end],
  },
  objects: {
    name: 'bench',
    read,
    list: async function* () {},
    put: async (key, { body }) => void results.set(key, Buffer.from(body)),
    putIf: async (key, _, { body }) => results.set(key, Buffer.from(body)) === results,
  },
  entities: [],
  log: () => undefined,
  now: Date.now,
  endsAt: Number.POSITIVE_INFINITY,
}
const startMegabytes = process.memoryUsage.rss() / 2 ** 20
const startedAt = performance.now()
const checked = await checkRun(publisher, { entity: entity.name, runId })
if (checked.kind !== 'proven' || checked.found.uniqueIds !== documents)
  throw new Error(`Not proven: ${JSON.stringify(checked)}`)
report(startedAt + generatingMs, { startMegabytes })
