import { beforeEach, describe, expect, it } from 'vitest'
import type {
  ResponseStore,
  StoredResponse,
} from '../../../../functions/proxy/idempotency/stored-response.ts'
import { createResponseStore } from '../../../../functions/proxy/idempotency/stored-response.ts'
import { itemVersion } from '../../../../stored/item-version.ts'
import { MemoryDynamoDb } from '../../../simulation/stores/memory-dynamodb.ts'

const now = Date.parse('2026-11-21T12:00:00.900Z')
const second = 1000
const day = 24 * 60 * 60 * second
const first = { kind: 'running', fingerprint: 'f', owner: 'first', until: 1 } as const
const other = { ...first, owner: 'other' }
const unknown: StoredResponse = { kind: 'unknown', fingerprint: 'f', owner: 'first' }

let dynamodb: MemoryDynamoDb
let store: ResponseStore
beforeEach(async () => {
  dynamodb = new MemoryDynamoDb()
  store = createResponseStore(dynamodb)
  await store.begin('key', first, now)
})

const stored = () => dynamodb.item('idempotency#key', 'response')

describe('the response to a request with an idempotency key', () => {
  it('is stored for 24 hours', () => {
    const expiresAt = Date.parse('2026-11-22T12:00:00Z') / second
    const item = { pk: 'idempotency#key', sk: 'response', version: itemVersion, expiresAt, ...first }
    expect(dynamodb.all()).toEqual([item])
  })

  it.each([
    ['another request with the same key', 'key', other, now, first],
    ['the same request again, whose first response was lost', 'key', first, now, undefined],
    ['a request with another key', 'key 2', other, now, undefined],
    ['another request a second before it expires', 'key', other, now + day - second, first],
    ['another request when it expires, although its item still exists', 'key', other, now + day, undefined],
  ])('is returned or not to %s', async (...[, id, request, time, expected]) => {
    expect(await store.begin(id, request, time)).toEqual(expected)
  })

  it('is begun again if it was removed just after the write was refused', async () => {
    dynamodb.read = async (request) => {
      await store.remove('key', 'first')
      return dynamodb.readNow(request)
    }
    expect(await store.begin('key', other, now)).toBeUndefined()
    expect(stored()).toMatchObject(other)
  })

  it('is replaced and kept for another 24 hours by its owner, and by nobody else', async () => {
    await store.replace('key', { ...unknown, owner: 'other' }, now)
    expect(stored()).toMatchObject(first)
    await store.replace('key', unknown, now + day)
    const expiresAt = Date.parse('2026-11-23T12:00:00Z') / second
    expect(stored()).toEqual({
      pk: 'idempotency#key',
      sk: 'response',
      version: itemVersion,
      expiresAt,
      ...unknown,
    })
  })

  it('is removed by its owner, and by nobody else', async () => {
    await store.remove('key', 'other')
    expect(stored()).toMatchObject(first)
    await store.remove('key', 'first')
    expect(dynamodb.all()).toEqual([])
  })
})
