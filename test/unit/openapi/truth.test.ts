import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../functions/platform/endpoints.ts'
import { readIdempotencyKey } from '../../../functions/proxy/idempotency/idempotency-key.ts'
import { type BodyCheck, checkBody } from '../../../functions/proxy/request/body-rules.ts'
import { upstreamHeaders } from '../../../functions/proxy/request/header-rules.ts'
import { pathSegment } from '../../../functions/proxy/request/path-rules.ts'
import { readQuery } from '../../../functions/proxy/request/query-rules.ts'
import type { Stored } from '../../../functions/state/objects.aws.ts'
import {
  activeStatuses,
  endedStatuses,
  newRun,
  type Run,
  runIdPattern,
} from '../../../functions/state/run/run.ts'
import { waiting } from '../../../functions/state/run/run-changes.ts'
import type { Latest, Manifest, PartitionedBy } from '../../../functions/state/snapshots/manifest.ts'
import type { TableLatest } from '../../../functions/state/tables/table.ts'
import { incrementsView } from '../../../functions/sync-api/increments-view.ts'
import { readPublishedTable } from '../../../functions/sync-api/published/published-table.ts'
import { readStartBody } from '../../../functions/sync-api/start-body.ts'
import { entityView, runView } from '../../../functions/sync-api/views.ts'
import { entityNamed } from '../../entity-named.ts'
import { byIam, mistakesBy, operationOf } from './described.ts'

const mistakes = mistakesBy(byIam)
const scroll = operationOf(byIam, 'GET /api/dataentities/{data_entity}/scroll')
const search = operationOf(byIam, 'GET /api/dataentities/{data_entity}/search')
const group = operationOf(byIam, 'PATCH /api/rns/subscriptions-group/{groupId}')

const parameter = (operation: typeof scroll, name: string): object =>
  operation.parameters.find((one: { name: string }) => one.name === name).schema
const fits = (schema: object, value: unknown) => mistakes(schema, value) === undefined
const accepts = (rule: () => unknown): boolean => {
  try {
    rule()
    return true
  } catch {
    return false
  }
}

/** Texts near the limits of the rules. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '.',
      '/',
      '\\',
      '"',
      ' ',
      '_',
      'a',
      '-',
      'x',
      '%',
      '?',
      '#',
      '\t',
      '\u0085',
      '\ufffd',
      'é',
    ),
  }),
)

describe('the OpenAPI document allows what the rules allow', () => {
  test('for path parameters', () => {
    fc.assert(
      fc.property(text, (value) => {
        const allowed = accepts(() => pathSegment('data_entity', value))
        expect(fits(parameter(scroll, 'data_entity'), value)).toBe(allowed)
      }),
    )
  })

  test('for names of filters', () => {
    const filters = parameter(scroll, 'filters')
    const entry = endpoints.find(({ name }) => name === 'scroll-documents')
    if (!entry) throw new Error('no scroll')
    const names = fc.oneof(
      text,
      fc.constantFrom('X-Amz-Date', 'x-amz-x', 'x-amzn', 'a[b]', ']', '_fields2', 'é', 'an', 'An', 'any'),
    )
    fc.assert(
      fc.property(names, (name) => {
        fc.pre(!entry.query.includes(name))
        const allowed = accepts(() => readQuery(`${encodeURIComponent(name)}=1`, entry, undefined))
        expect(fits(filters, { [name]: '1' })).toBe(allowed)
      }),
    )
  })

  test.each([0, 1, 1000, 1001, 1.5])('for a page size of %d', (size) => {
    const allowed = accepts(() =>
      readQuery(`_size=${size}`, { query: ['_size'], fieldFilters: false }, undefined),
    )
    expect(fits(parameter(scroll, '_size'), size)).toBe(allowed)
  })

  test.each(['resources=0-100', 'resources=5-10', 'items=0-1', 'resources=0', 'resources=a-b', ''])(
    'for a range of %j',
    (range) => {
      const entry = { requestHeaders: ['rest-range'] }
      expect(fits(parameter(search, 'REST-Range'), range)).toBe(
        accepts(() => upstreamHeaders({ 'rest-range': range }, entry)),
      )
    },
  )

  const keyed = (key: string) => ({
    headers: { 'idempotency-key': key },
    rawPath: '/',
    rawQueryString: '',
    routeKey: '',
    requestContext: {},
  })
  const longest = 'x'.repeat(255)
  const isDescribed = (key: string) => fits(parameter(group, 'Idempotency-Key'), key)
  const isAccepted = (key: string) => accepts(() => readIdempotencyKey(keyed(key), Buffer.from('{}')))

  test('for idempotency keys', () => {
    const keys = fc.oneof(
      text,
      text.map((key) => `"${key}"`),
    )
    // HTTP removes spaces around a header's value.
    fc.assert(
      fc.property(keys, (key) => {
        expect(isDescribed(key.trim())).toBe(isAccepted(key.trim()))
      }),
    )
  })

  test.each([longest, `${longest}x`, `"${longest}"`, `"${longest}x"`, `"\\"${longest.slice(1)}"`, '""', ''])(
    'for an idempotency key at the limit: %s',
    (key) => expect(isDescribed(key)).toBe(isAccepted(key)),
  )

  const documented = (rule: BodyCheck['rule']): BodyCheck => ({
    contentType: 'application/json',
    validation: 'strict',
    rule,
  })

  test.each([
    {},
    { item: [] },
    { item: [{ unknown: 1 }] },
    { status: null, plan: null },
    { item: {} },
    { item: null },
    { item: [null] },
    { item: [[]] },
    [],
    null,
    'text',
  ])('for a group patch of %j', (patch) => {
    const { schema } = group.requestBody.content['application/json']
    const body = Buffer.from(JSON.stringify(patch))
    expect(fits(schema, patch)).toBe(accepts(() => checkBody(body, documented('object-with-item-array'))))
  })

  test.each([{}, { item: {} }, { item: { sku: null } }, { item: [] }, { item: null }, [], 1])(
    'for a subscription patch of %j',
    (patch) => {
      const operation = operationOf(byIam, 'PATCH /api/rns/subscriptions/{subscriptionId}')
      const { schema } = operation.requestBody.content['application/json']
      const body = Buffer.from(JSON.stringify(patch))
      expect(fits(schema, patch)).toBe(accepts(() => checkBody(body, documented('object-with-item-object'))))
    },
  )

  test.each([
    {},
    { acceptShrink: true },
    { acceptDeletes: false },
    { acceptShrink: 1 },
    { other: 1 },
    [],
    null,
  ])('for the start of a sync with %j', (options) => {
    const { schema } = operationOf(byIam, 'POST /syncs/{entity}').requestBody.content['application/json']
    expect(fits(schema, options)).toBe(accepts(() => readStartBody(Buffer.from(JSON.stringify(options)))))
  })
})

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
  }

  test.each([
    ['just started', run],
    ['waiting', waiting(run, 'The platform throttles requests.', Date.UTC(2026, 2, 1, 6))],
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
    expect(mistakes(closed('Run'), runView(given, []))).toBeUndefined()
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
        latest: published,
        running: published ? undefined : runView(run, []),
        runs: [runView(run, [])],
        increments: published
          ? incrementsView(incremental, status, Date.parse('2026-03-01T12:00:00Z'))
          : null,
      })
    expect(mistakes(closed('SyncedEntity'), view(latest))).toBeUndefined()
    expect(mistakes(closed('SyncedEntity'), view(undefined))).toBeUndefined()
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
      dropped: [],
    } as const
    const entity = entityNamed('CL', { columns: [{ name: 'id', from: ['id'], type: { kind: 'long' } }] })
    const read = (stored: Stored<TableLatest> | undefined) =>
      readPublishedTable({ tables: { readLatest: async () => stored } }, entity)
    const published = await read({ value: table, etag: '"1"' })
    expect(mistakes(closed('PublishedTable'), published)).toBeUndefined()
    const view = entityView(entity, { latest, running: undefined, runs: [], increments: null })
    for (const each of [published, await read(undefined)])
      expect(mistakes(closed('SyncedEntity'), { ...view, table: each })).toBeUndefined()
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
      reportedTotal: true,
      proof: true,
      spent: true,
      partitions: true,
      republishedFrom: true,
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
      absences: true,
    }
    expect(properties['partitionedBy']).toMatchObject({
      properties: Object.fromEntries(Object.keys(cut).map((name) => [name, {}])),
    })
  })
})
