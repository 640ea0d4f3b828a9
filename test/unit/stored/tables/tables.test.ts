import type { S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import {
  dataFileKey,
  manifestFileKey,
  manifestListKey,
  metadataKey,
  runOfTableKey,
  type TableLatest,
  tableLatestKey,
  workPrefix,
} from '../../../../stored/tables/table.ts'
import { createTableStore } from '../../../../stored/tables/tables.aws.ts'
import { MemoryS3 } from '../../../simulation/stores/memory-s3.ts'

const runId = '20261121T010203004Z-0123456789ab'
const latest: TableLatest = {
  runId,
  metadata: metadataKey('CL', { version: 12, runId, unique: 'u1' }),
  rows: 0,
  columns: {},
  rejected: {},
  committedAt: '2026-11-21T01:02:04.000Z',
  announced: false,
  glue: null,
  inGlue: null,
  dropped: [],
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const listed: T[] = []
  for await (const item of items) listed.push(item)
  return listed
}

describe('the objects of a table', () => {
  it.each([
    dataFileKey('CL', runId, 'u1'),
    manifestFileKey('CL', runId, 'u1'),
    manifestListKey('CL', runId, 'u1'),
    metadataKey('CL', { version: 12, runId, unique: 'u1' }),
    `${workPrefix('CL', runId, 'p1')}plan.json`,
  ])('name their run: %s', (key) => expect(runOfTableKey('CL', key)).toBe(runId))

  it('belong to no run if they are latest.json', () => {
    expect(runOfTableKey('CL', tableLatestKey('CL'))).toBeUndefined()
  })
})

describe('the store of tables', () => {
  const open = () => {
    const s3 = new MemoryS3()
    s3.now = () => Date.parse('2026-11-21T01:02:03Z')
    return createTableStore('bucket', s3 as unknown as S3Client)
  }

  it('commits a table only if latest.json is as it was read', async () => {
    const store = open()
    expect(await store.writeLatest('CL', latest, 'absent')).toBe(true)
    const read = await store.readLatest('CL')
    if (!read) throw new Error('Nothing was committed.')
    const next = { ...latest, rows: 1 }
    expect(await store.writeLatest('CL', next, 'absent')).toBe(false)
    expect(await store.writeLatest('CL', next, read)).toBe(true)
    expect(await store.writeLatest('CL', { ...latest, rows: 2 }, read)).toBe(false)
    expect((await store.readLatest('CL'))?.value).toEqual(next)
  })

  it('lists the objects of one entity with the times at which they were written', async () => {
    const store = open()
    const key = dataFileKey('CL', runId, 'u1')
    await store.writeFile(key, Buffer.from('PAR1'))
    await store.writeFile(dataFileKey('CL2', runId, 'u1'), Buffer.from('PAR1'))
    const listed = await all(store.listObjects('CL'))
    expect(listed).toMatchObject([{ key, writtenAt: Date.parse('2026-11-21T01:02:03Z'), bytes: 4 }])
    expect(await store.readObject(key)).toEqual(Buffer.from('PAR1'))
    expect(store.addressOf(key)).toBe(`s3://bucket/${key}`)
    expect(store.keyOf(`s3://bucket/${key}`)).toBe(key)
  })
})
