import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openLog } from '../../../../operator/logs/source.ts'

const folder = mkdtempSync(join(tmpdir(), 'longshore-logs-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('a line of the local log is read once it is complete', async () => {
  const path = join(folder, 'log')
  const read = await openLog({ log: { kind: 'file', path } } as never)
  const events = () => read({ runId: 'r', from: 0, to: 1 }, new AbortController().signal)
  appendFileSync(path, 'one\ntw')
  expect(await events()).toEqual([{ id: '0', text: 'one' }])
  appendFileSync(path, 'o\n')
  expect(await events()).toEqual([
    { id: '0', text: 'one' },
    { id: '1', text: 'two' },
  ])
})
