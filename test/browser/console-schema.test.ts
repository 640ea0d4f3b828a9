import { PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { isWithoutBrowser } from '../../scripts/chromium.ts'
import { schemaChangesKey, schemaReportKey } from '../../stored/snapshots/manifest.ts'
import { type TableLatest, tableLatestKey } from '../../stored/tables/table.ts'
import { expectReadable } from './console-browser.ts'
import { consoleInBrowser } from './console-in-browser.ts'

const none = { string: 0, integer: 0, decimal: 0, boolean: 0, object: 0, array: 0 }
const field = (path: string, present: number, types: object) => ({
  path,
  present,
  null: 0,
  types: { ...none, ...types },
  timestamps: 0,
  maxLength: 5,
  maxDigits: 0,
  maxScale: 0,
})

describe.skipIf(isWithoutBrowser)('the schema of an entity in a browser', () => {
  const opened = consoleInBrowser(async (world) => {
    const config = world.writeConfiguration('tables.json', {
      columns: { id: 'string', createdIn: 'timestamp' },
    })
    for (let syncs = 0; syncs < 2; syncs++) await world.longshore('sync CL --watch', '', config)
    const { stdout } = await world.longshore('runs CL --json', '', config)
    const runs = JSON.parse(stdout).runs as { runId: string }[]
    const [runId = '', earlier = ''] = runs.map((run) => run.runId)
    const put = (Key: string, value: object) =>
      world.stores.s3.send(
        new PutObjectCommand({ Bucket: world.stores.bucket, Key, Body: JSON.stringify(value) }),
      )
    const metadata = `iceberg/CL/metadata/${runId}-1.metadata.json`
    const snapshot = (hours: number, rejected: string) => ({
      'timestamp-ms': Date.now() - hours * 3_600_000,
      summary: {
        'longshore.run-id': `${hours}`,
        'total-records': '95',
        'longshore.rejected.created_in': rejected,
      },
    })
    await put(metadata, { snapshots: [snapshot(7, '21'), snapshot(1, '1234')] })
    await put(tableLatestKey('CL'), {
      runId,
      metadata,
      rows: 95,
      columns: {
        id: { id: 1, type: 'string', from: ['id'] },
        created_in: { id: 2, type: 'timestamp', from: ['createdIn'] },
      },
      rejected: { created_in: 1234 },
      committedAt: new Date().toISOString(),
      announced: true,
      glue: { state: 'current' },
      inGlue: null,
      dropped: [],
    } satisfies TableLatest)
    const fields = [
      field('address.city', 19, { string: 19 }),
      field(`${'long'.repeat(40)}.name`, 95, { string: 90, integer: 5 }),
    ]
    await put(schemaReportKey('CL', runId), {
      version: 1,
      entity: 'CL',
      runId,
      documents: 95,
      fields,
      truncated: false,
    })
    const changes = {
      version: 1,
      entity: 'CL',
      runId,
      added: ['town'],
      removed: [],
      retyped: ['orders'],
      counts: { added: 1, removed: 0, retyped: 1 },
    }
    await put(schemaChangesKey('CL', runId), changes)
    await put(schemaChangesKey('CL', earlier), {
      ...changes,
      runId: earlier,
      added: ['street'],
      retyped: [],
      counts: { added: 1, removed: 0, retyped: 0 },
    })
    return ` --config ${config}`
  })

  const cellsOf = async (heading: string) => {
    const { page } = opened.browser
    const table = page.locator('table', { has: page.getByRole('columnheader', { name: heading }) })
    const rows = await table.locator('tbody tr').all()
    return Promise.all(rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).slice(-2)))
  }

  it('shows the table with its rejected values over time, the fields, and ready queries', async () => {
    const { page, open, complaints } = opened.browser
    await open('entities/CL')
    await page.getByRole('link', { name: 'Schema', exact: true }).click()
    await page.getByRole('heading', { name: 'Fields of 95 documents' }).waitFor()
    expect(await page.locator('.facts-grid').innerText()).toContain('matches the published snapshot')
    expect(await cellsOf('Column')).toEqual([
      ['string', '0'],
      ['timestamp', '1,234'],
    ])
    expect(await cellsOf('Rows')).toEqual([
      ['95', '1,234'],
      ['95', '21'],
    ])
    expect(await cellsOf('Field')).toEqual([
      ['string', '20.0%'],
      ['string 90, integer 5', 'all'],
    ])
    const changed = (await cellsOf('What changed')).map(([, text = '']) => text.replace(/^.*: /, ''))
    expect(changed).toEqual(['added town; changed the type of orders.', 'added street.'])
    await page
      .getByRole('button', { name: /^Copy: SELECT \* FROM "longshore_snapshots_tables"\."cl"/ })
      .waitFor()
    await page.getByRole('button', { name: /^Copy: INSTALL iceberg/ }).waitFor()
    await expectReadable(page)
    expect(complaints).toEqual([])
  })
})
