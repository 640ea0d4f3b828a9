import { beforeEach, describe, expect, it, vi } from 'vitest'
import { equal, openTable, randomPause } from '../../../stored/dynamodb/state-table.ts'
import { itemVersion, UnknownItemVersion } from '../../../stored/item-version.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'

async function allOf(items: AsyncIterable<object>): Promise<object[]> {
  const all: object[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('a read of the state table', () => {
  it('returns the newest write, unless a query allows an older one', async () => {
    const dynamodb = new MemoryDynamoDb()
    dynamodb.isReadStale = () => true
    const table = openTable(dynamodb)
    const key = { pk: 'a', sk: 'b' }
    await table.put({ ...key, value: 1 })
    await table.put({ ...key, value: 2 })
    expect(await table.get(key)).toEqual({ value: 2 })
    expect(await allOf(table.query('a'))).toEqual([{ value: 2 }])
    expect(await allOf(table.query('a', { consistent: false }))).toEqual([{ value: 1 }])
  })

  it('does not find an item that does not exist', async () => {
    expect(await openTable(new MemoryDynamoDb()).get({ pk: 'a', sk: 'b' })).toBeUndefined()
  })

  it.each([
    ['all items', {}, [1, 2, 3, 4], 5],
    ['items after a sort key', { after: 's1' }, [2, 3, 4], 4],
    ['the newest items first', { newestFirst: true }, [4, 3, 2, 1], 5],
    ['as many items as the limit', { limit: 2 }, [1, 2], 2],
  ])('returns %s of a partition whose pages have one item each', async (...[, range, values, requests]) => {
    const dynamodb = new MemoryDynamoDb(1)
    const table = openTable(dynamodb)
    for (const value of [1, 2, 3, 4]) await table.put({ pk: 'a', sk: `s${value}`, value })
    await table.put({ pk: 'b', sk: 's1', value: 5 })
    let count = 0
    dynamodb.read = async (request) => {
      count++
      return dynamodb.readNow(request)
    }
    expect(await allOf(table.query('a', range))).toEqual(values.map((value) => ({ value })))
    expect(count).toBe(requests)
  })

  it('leaves out the attributes that only the table needs', async () => {
    const dynamodb = new MemoryDynamoDb()
    const table = openTable(dynamodb)
    await table.put({ pk: 'a', sk: 'b', expiresAt: 5, value: 1 })
    expect(dynamodb.all()).toEqual([{ pk: 'a', sk: 'b', expiresAt: 5, value: 1, version: itemVersion }])
    expect(await allOf(table.query('a'))).toEqual([{ value: 1 }])
  })

  it.each([
    ['a newer', itemVersion + 1, /deploy the release that wrote it, or a newer one\.$/],
    [
      'an older',
      itemVersion - 1,
      /or start with empty state \(docs\/deploy\.md, "State from before 1\.0\.0"\)\.$/,
    ],
  ])('fails with the fix if %s release wrote the item', async (_, version, fix) => {
    const dynamodb = new MemoryDynamoDb()
    const item = { pk: 'a', sk: 'b', version }
    await dynamodb.write({ kind: 'put', item, condition: {} })
    const table = openTable(dynamodb)
    const reading = table.get({ pk: 'a', sk: 'b' })
    await expect(reading).rejects.toThrow(UnknownItemVersion)
    await expect(reading).rejects.toThrow(
      `Cannot read the item a / b in the state table: its version is ${version} and this release of Longshore reads version ${itemVersion}.`,
    )
    await expect(reading).rejects.toThrow(fix)
  })
})

describe('a read of many items of the state table', () => {
  const keys = Array.from({ length: 250 }, (_, index) => ({ pk: `p${index}`, sk: 'b' }))
  let dynamodb: MemoryDynamoDb
  let pauses: number[]
  let counts: number[]

  beforeEach(() => {
    dynamodb = new MemoryDynamoDb()
    pauses = []
    counts = []
  })

  function openedTable() {
    dynamodb.read = async (request) => {
      if (request.kind === 'batch') counts.push(request.keys.length)
      return dynamodb.readNow(request)
    }
    return openTable(dynamodb, async (maxMs) => void pauses.push(maxMs))
  }
  async function filledTable() {
    const table = openedTable()
    for (const [value, key] of keys.entries()) if (value !== 7) await table.put({ ...key, value })
    return table
  }
  const expected = keys.map((_, value) => (value === 7 ? undefined : { value }))

  it('has the newest of each in the order of the keys, with at most 100 keys per request', async () => {
    const table = await filledTable()
    dynamodb.isReadStale = () => true
    expect(await table.getAll(keys)).toEqual(expected)
    expect(counts).toEqual([100, 100, 50])
    expect(pauses).toEqual([])
  })

  it('needs no request without a key', async () => {
    expect(await openedTable().getAll([])).toEqual([])
    expect(counts).toEqual([])
  })

  it('repeats the keys that were not processed, with growing pauses', async () => {
    const table = await filledTable()
    dynamodb.maxBatchKeys = 40
    expect(await table.getAll(keys.slice(0, 100))).toEqual(expected.slice(0, 100))
    expect(counts).toEqual([100, 60, 20])
    expect(pauses).toEqual([50, 100])
  })

  it('fails if keys are never processed', async () => {
    const table = await filledTable()
    dynamodb.maxBatchKeys = 1
    await expect(table.getAll(keys.slice(0, 100))).rejects.toThrow(
      'The state table is throttled: 92 of 100 keys were not processed in 8 requests.',
    )
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 3200])
  })

  it('fails if another release wrote one of them', async () => {
    const table = await filledTable()
    const item = { pk: 'p3', sk: 'b', version: itemVersion + 1 }
    await dynamodb.write({ kind: 'put', item, condition: {} })
    await expect(table.getAll(keys)).rejects.toThrow(UnknownItemVersion)
  })
})

describe('a write with a condition', () => {
  const key = { pk: 'a', sk: 'b' }
  const isRed = { color: equal('red') }
  const stored = { ...key, color: 'red', version: itemVersion }

  it.each<[string, (table: ReturnType<typeof openTable>) => Promise<boolean>, object[]]>([
    [
      'a put',
      (table) => table.put({ ...key, value: 1 }, isRed),
      [{ ...key, value: 1, version: itemVersion }],
    ],
    ['an update', (table) => table.update(key, { set: { value: 1 } }, isRed), [{ ...stored, value: 1 }]],
    [
      'an update that removes an attribute',
      (table) => table.update(key, { remove: ['color'] }, isRed),
      [{ ...key, version: itemVersion }],
    ],
    ['a removal', (table) => table.remove(key, isRed), []],
  ])('takes effect only if it holds: %s', async (_, write, after) => {
    const dynamodb = new MemoryDynamoDb()
    const table = openTable(dynamodb)
    await table.put({ ...key, color: 'blue' })
    const before = dynamodb.all()
    expect(await write(table)).toBe(false)
    expect(dynamodb.all()).toEqual(before)
    await table.put({ ...key, color: 'red' })
    expect(await write(table)).toBe(true)
    expect(dynamodb.all()).toEqual(after)
  })

  it('takes effect without a condition, and has the version of this release', async () => {
    const dynamodb = new MemoryDynamoDb()
    expect(await openTable(dynamodb).update(key, { set: { value: 1 } })).toBe(true)
    expect(dynamodb.all()).toEqual([{ ...key, value: 1, version: itemVersion }])
  })
})

it('a random pause takes a random part of its maximum', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const startedAt = performance.now()
  await randomPause(100)
  random.mockRestore()
  expect(performance.now() - startedAt).toBeGreaterThan(45)
})

describe('a write that depends on the revision of the stored item', () => {
  const key = { pk: 'a', sk: 'b' }
  it('takes effect once, and returns what is stored otherwise', async () => {
    const table = openTable(new MemoryDynamoDb())
    const write = (before: number) => table.replace({ ...key, revision: before + 1 }, before)
    expect(await write(1)).toEqual({ kind: 'refused', stored: undefined })
    expect(await write(0)).toEqual({ kind: 'written' })
    expect(await write(0)).toEqual({ kind: 'refused', stored: { revision: 1 } })
    expect(await write(1)).toEqual({ kind: 'written' })
    expect(await table.get(key)).toEqual({ revision: 2 })
  })

  it('fails if the service fails', async () => {
    const dynamodb = new MemoryDynamoDb()
    dynamodb.write = () => Promise.reject(new Error('Throttled.'))
    await expect(openTable(dynamodb).replace({ ...key, revision: 1 }, 0)).rejects.toThrow('Throttled.')
  })
})
