import { expect, it } from 'vitest'
import { inventoryOf, type Owner } from '../../../../stored/inventory/inventory.ts'
import type { StoredEntity } from '../../../../stored/inventory/stored-entity.ts'
import type { Run } from '../../../../stored/run/run.ts'
import { pageKey } from '../../../../stored/snapshots/manifest.ts'

const dayMs = 86_400_000
const now = Date.parse('2026-11-21T12:00:00Z')
const runAt = (daysAgo: number) =>
  `${new Date(now - daysAgo * dayMs).toISOString().replaceAll(/[-:.]/g, '')}-0123456789ab`
const [lost, old, chained, previous, published, failed, refused, begun] = [50, 9, 8, 7, 6, 5, 4, 0].map(runAt)
const page = (runId = '', attempt = 1) => pageKey({ entity: 'CL', runId, attempt }, 1, 'u')
const manifest = (runId = '') => ({ entity: 'CL', runId, pages: [{ key: page(runId) }] }) as never
const snapshots = [old, chained, previous, published].flatMap((run = '') => [
  `snapshots/CL/${run}/manifest.json`,
  page(run),
])
const keys = [
  'snapshots/CL/latest.json',
  'tables/CL/pages.txt',
  ...snapshots,
  page(published, 2),
  page(failed),
  `snapshots/CL/${refused}/refused.json`,
  page(refused),
  page(begun),
  page(lost),
  'changes/CL/latest.json',
  `changes/CL/${lost}/records-a.ndjson.gz`,
  `changes/CL/${chained}/records-a.ndjson.gz`,
  `changes/CL/${refused}/refused.json`,
  `iceberg/CL/data/${published}/a.parquet`,
  `iceberg/CL/data/${previous}/a.parquet`,
  `iceberg/CL/data/${old}/a.parquet`,
  `iceberg/CL/data/${begun}/a.parquet`,
]
const partOfTip = `changes/CL/${lost}/compacted-a.ndjson.gz`
const versionOf = (key: string) => ({
  key,
  versionId: 'v',
  isLatest: true,
  writtenAt: key.includes(begun ?? '') ? now : now - 5 * dayMs,
})
const stored = {
  entity: 'CL',
  versions: [
    ...[...keys, partOfTip].map(versionOf),
    { ...versionOf(page(old)), versionId: 'before', isLatest: false },
  ],
  latest: { runId: published },
  snapshots: new Map([
    ...[old, chained, previous, published].map(
      (run) => [run, { kind: 'snapshot', manifest: manifest(run) }] as const,
    ),
    [refused, { kind: 'refused', manifest: manifest(refused) }],
  ]),
  chain: { value: { tip: chained, sets: [{ runId: chained, base: null }] }, etag: 'e' },
  sets: new Map([[chained, { kind: 'increment', withheldParts: [], incrementParts: [{ key: partOfTip }] }]]),
  refusedSets: new Map([[refused, {}]]),
} as unknown as StoredEntity
const run = (status: string, daysAgo: number) =>
  ({ status, endedAt: new Date(now - daysAgo * dayMs).toISOString() }) as Run
const facts = {
  settings: { keepSnapshots: 2, changes: { ignore: [], maxDeletePercent: 10, keepDays: 3 } },
  runs: new Map([
    ...[old, chained, previous, published].map((id = '') => [id, run('published', 6)] as const),
    [failed ?? '', run('failed', 5)],
    [refused ?? '', run('refused', 4)],
  ]),
  table: {
    entity: 'CL',
    objects: keys.filter((key) => key.startsWith('iceberg/')).map(versionOf),
    latest: { dropped: [] } as never,
    runs: new Set([published ?? '']),
    referenced: new Set([`iceberg/CL/data/${published}/a.parquet`]),
    inGlue: new Set([`iceberg/CL/data/${previous}/a.parquet`]),
  },
  now,
}

it.each<[key: string, owner: Owner, reasons: string]>([
  ['snapshots/CL/latest.json', 'pointer', 'pointer'],
  ['changes/CL/latest.json', 'pointer', 'pointer'],
  ['tables/CL/pages.txt', 'pointer', 'pointer'],
  [page(published), 'snapshot', 'published'],
  [page(published, 2), 'snapshot', ''],
  [page(previous), 'snapshot', 'previous'],
  [page(chained), 'snapshot', 'chain-snapshot'],
  [page(old), 'snapshot', ''],
  [page(failed), 'pages', ''],
  [page(lost), 'pages', ''],
  [page(begun), 'pages', 'in-progress'],
  [page(refused), 'refused snapshot', 'refused'],
  [`changes/CL/${lost}/records-a.ndjson.gz`, 'change set', ''],
  [`changes/CL/${chained}/records-a.ndjson.gz`, 'increment', 'tip listed'],
  [partOfTip, 'change set', 'tip'],
  [`changes/CL/${refused}/refused.json`, 'refused change set', 'in-progress links'],
  [`iceberg/CL/data/${published}/a.parquet`, 'table', 'table'],
  [`iceberg/CL/data/${previous}/a.parquet`, 'table', 'in-glue'],
  [`iceberg/CL/data/${old}/a.parquet`, 'table', ''],
  [`iceberg/CL/data/${begun}/a.parquet`, 'table', 'query'],
])('%s is of a %s that stays for: %s', (key, owner, reasons) => {
  const found = inventoryOf(stored, facts).find((entry) => entry.version.key === key)
  expect([found?.owner, found?.reasons.map(({ kind }) => kind).join(' ')]).toEqual([owner, reasons])
})

it('an older version stays only because it can be restored', () => {
  const found = inventoryOf(stored, facts).filter(({ version }) => !version.isLatest)
  expect(found.map(({ reasons }) => reasons)).toEqual([[{ kind: 'old-version', until: undefined }]])
})

it('a table whose metadata is gone stays, and sets without a chain', () => {
  const without = inventoryOf({ ...stored, chain: undefined }, { ...facts, table: undefined })
  const reasonsIn = (folder: string) =>
    new Set(
      without.filter(({ version }) => version.key.startsWith(folder)).map((one) => one.reasons[0]?.kind),
    )
  expect(reasonsIn('iceberg/')).toEqual(new Set(['table']))
  expect(reasonsIn('changes/')).toEqual(new Set(['pointer', 'in-progress']))
})
