import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readChangeDates } from '../../../../operator/doctor/change-dates.ts'

const page = { key: 'p', documents: 2, bytes: 1, sha256: '' }

it.each([
  ['2026-01-02T03:04:05', ['updatedIn']],
  ['2026-01-02 03:04', ['updatedIn']],
  ['2026-01-02T03:04:05.1234567', ['updatedIn']],
  ['2026-01-02T03:04:05Z', []],
  ['2026-01-02T03:04:05+02:00', []],
  ['2026-01-02', []],
  ['at 03:04', []],
  [null, []],
])('the time %j names no zone in these fields: %j', async (updatedIn, withoutZone) => {
  const documents = [{ id: 1, createdIn: '2026-01-01T00:00:00Z', updatedIn }, { id: 2 }]
  const body = gzipSync(documents.map((document) => `${JSON.stringify(document)}\n`).join(''))
  const dates = await readChangeDates({ pages: [page] }, async () => body)
  expect(dates).toEqual({ documents: 2, missing: [], hasDate: true, withoutZone })
})
