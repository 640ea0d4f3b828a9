import { describe, expect, it } from 'vitest'
import { edgeTable, inOrder } from './iceberg/edge-table.ts'
import { programs, readTable } from './iceberg/read-table.ts'

describe.skipIf(!programs)('PyIceberg and DuckDB', () => {
  it('read any value as exact integer arithmetic computes it, and find it with a filter', async () => {
    const { testbed, rows: expected, rejected } = await edgeTable()
    const { rows, duckdb, lost, wrong } = await readTable(testbed)
    expect(inOrder(rows)).toEqual(expected)
    expect(inOrder(duckdb)).toEqual(expected)
    expect({ lost, wrong }).toEqual({ lost: [], wrong: [] })
    expect(testbed.latest()?.rejected).toEqual(rejected)
  })
})
