import { describe, expect, test } from 'vitest'
import { readPublishedTable } from '../../../functions/sync-api/published/published-entity.ts'
import type { Stored } from '../../../stored/objects.aws.ts'
import { activeStatuses, endedStatuses, newRun, type Run, runIdPattern } from '../../../stored/run/run.ts'
import { waiting } from '../../../stored/run/run-changes.ts'
import type { Latest, Manifest, PartitionedBy } from '../../../stored/snapshots/manifest.ts'
import type { TableLatest } from '../../../stored/tables/table.ts'
import { entityView, incrementsView, runView } from '../../../stored/views.ts'
import { entityNamed } from '../../entity-named.ts'
import { byIam, validatorFor } from './described.ts'

const validate = validatorFor(byIam)

const run = newRun({
  runId: '20260301T060000000Z-0123456789ab',
  entity: entityNamed('CL'),
  acceptShrink: false,
  execution: undefined,
  now: Date.UTC(2026, 2, 1, 6),
})

const { schemas } = byIam.components
type Named = { readonly properties: Record<string, Record<string, unknown>> }
const named = (name: string) => schemas[name] as unknown as Named
const closed = (name: string) => ({ ...named(name), additionalProperties: false })

describe('the OpenAPI document describes what callers of /syncs receive', () => {
  const latest: Latest = {
    runId: run.runId,
    manifest: `snapshots/CL/${run.runId}/manifest.json`,
    publishedAt: run.updatedAt,
    documents: 3,
    sha256: '0'.repeat(64),
  }

  test.each([
    ['just started', run],
    [
      'waiting',
      waiting(run, {
        for: 'platform',
        reason: 'The platform throttles requests.',
        waitMs: 0,
        now: Date.UTC(2026, 2, 1, 6),
      }),
    ],
    [
      'published',
      {
        ...run,
        status: 'published',
        endedAt: run.updatedAt,
        documents: 3,
        total: 3,
        pages: 1,
        uniqueIds: 3,
        proof: 'exact',
        manifest: latest.manifest,
      },
    ],
  ] as [string, Run][])('for a run that is %s', (_, given) => {
    expect(validate(closed('Run'), runView(given, []))).toBeUndefined()
  })

  test('for an entity before and after its first publication', () => {
    const entity = { name: 'CL', schedule: 'rate(1 day)', timezone: 'UTC', enabled: true }
    const incremental = { increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 60 } }
    const status = {
      window: { from: '2026-03-01T10:00:00Z', to: '2026-03-01T11:00:00Z' },
      last: { runId: run.runId, status: 'published', reason: null, endedAt: '2026-03-01T11:00:01.000Z' },
      records: { '2026-03-01T11': 3 },
    } as const
    const view = (published: Latest | undefined) =>
      entityView(entity as Parameters<typeof entityView>[0], {
        snapshot: published ?? null,
        pause: published
          ? { by: 'user/ana', since: run.updatedAt, reason: null, until: run.updatedAt }
          : null,
        running: published ? null : runView(run, []),
        runs: [runView(run, [])],
        increments: published
          ? incrementsView(incremental, status, Date.parse('2026-03-01T12:00:00Z'))
          : null,
      })
    expect(validate(closed('SyncedEntity'), view(latest))).toBeUndefined()
    expect(validate(closed('SyncedEntity'), view(undefined))).toBeUndefined()
  })

  test('for an entity with a table, and before the first one', async () => {
    const table = {
      runId: run.runId,
      metadata: `iceberg/CL/metadata/${run.runId}-1.metadata.json`,
      rows: 3,
      columns: { id: { id: 1, type: 'long', from: ['id'] } },
      rejected: { id: 1 },
      committedAt: run.updatedAt,
      announced: true,
      glue: { state: 'current' },
      inGlue: null,
      dropped: [],
    } as const
    const entity = entityNamed('CL', { columns: [{ name: 'id', from: ['id'], type: { kind: 'long' } }] })
    const read = (stored: Stored<TableLatest> | undefined) =>
      readPublishedTable({ tables: { readLatest: async () => stored } }, entity)
    const published = await read({ value: table, etag: '"1"' })
    expect(validate(closed('PublishedTable'), published)).toBeUndefined()
    const view = entityView(entity, {
      snapshot: latest,
      pause: null,
      running: null,
      runs: [],
      increments: null,
    })
    for (const each of [published, await read(undefined)])
      expect(validate(closed('SyncedEntity'), { ...view, table: each })).toBeUndefined()
  })

  test('for every status and the pattern of run ids', () => {
    const { status, runId } = named('Run').properties
    expect(status?.['enum']).toEqual([...activeStatuses, ...endedStatuses])
    expect(runId?.['pattern']).toBe(runIdPattern.source)
  })

  test('for every member of a manifest', () => {
    const members: Record<keyof Manifest, true> = {
      version: true,
      entity: true,
      runId: true,
      startedAt: true,
      openedAt: true,
      finishedAt: true,
      query: true,
      idField: true,
      pageSize: true,
      attempts: true,
      documents: true,
      uniqueIds: true,
      withoutId: true,
      reportedTotal: true,
      proof: true,
      spent: true,
      partitions: true,
      republishedFrom: true,
      evidence: true,
      partitionedBy: true,
      pages: true,
    }
    const { properties } = named('Snapshot')
    expect(Object.keys(properties).sort()).toEqual([...Object.keys(members), 'next'].sort())
    const cut: Record<keyof PartitionedBy, true> = {
      by: true,
      count: true,
      boundaries: true,
      searchedAt: true,
      areBest: true,
      absences: true,
      overlapping: true,
    }
    expect(properties['partitionedBy']).toMatchObject({
      properties: Object.fromEntries(Object.keys(cut).map((name) => [name, {}])),
    })
  })
})
