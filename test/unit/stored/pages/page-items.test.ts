import { beforeEach, describe, expect, it } from 'vitest'
import type { CommittedEnd, CommittedPage } from '../../../../stored/pages/page.ts'
import type { AttemptId } from '../../../../stored/pages/page-partition.ts'
import { StateTestbed } from '../state-testbed.ts'

const now = Date.UTC(2026, 2, 1, 6)
const attempt: AttemptId = { runId: 'r', attempt: 2 }
const cursor = { token: 'next', pageSize: 10, total: 25, openedAt: now - 5, respondedAt: now } as const

const pageOf = (page: number, key = `key-${page}`): CommittedPage => ({
  ...cursor,
  kind: 'page',
  page,
  key,
  documentsSoFar: page * 10,
  repeatedPages: 0,
  documents: 10,
  documentsWithoutId: 0,
  bytes: 100,
  sha256: 'hash',
  received: { request: '/scroll', exchanges: [], bodySha256: 'x', spaceBytes: 0, replacesLineBreaks: false },
})
const endOf = (page: number, id = 'end-1'): CommittedEnd => ({
  ...cursor,
  kind: 'end',
  page,
  id,
  isConfirmed: true,
  evidence: 'confirmed',
  documentsSoFar: 20,
  repeatedPages: 1,
})

let testbed: StateTestbed
let state: StateTestbed['state']

beforeEach(() => {
  testbed = new StateTestbed()
  state = testbed.state
})

const lostAt = (page: number) => ({ name: 'LeaseLost', message: `Another worker committed page ${page}.` })

async function pagesOf(given: AttemptId): Promise<CommittedPage[]> {
  const pages: CommittedPage[] = []
  for await (const page of state.pages(given)) pages.push(page)
  return pages
}

describe('a committed page', () => {
  it('is read again', async () => {
    await state.commitPage(attempt, pageOf(1), now)
    expect(await pagesOf(attempt)).toEqual([pageOf(1)])
  })

  it('takes one request, and its item expires 30 days later', async () => {
    expect(await testbed.requestsOf(() => state.commitPage(attempt, pageOf(1), now))).toEqual(['put'])
    expect(testbed.dynamodb.item('run#r#a2', 'page#000001')).toMatchObject({
      expiresAt: Date.UTC(2026, 2, 31, 6) / 1000,
    })
  })

  it.each<[string, AttemptId, string]>([
    ['an attempt', { runId: 'r', attempt: 1 }, 'run#r#a1'],
    ['an attempt of the first range', { runId: 'r', range: 0, attempt: 1 }, 'run#r#r0#a1'],
    ['an attempt of another range', { runId: 'r', range: 3, attempt: 2 }, 'run#r#r3#a2'],
  ])('is stored in the partition of %s', async (_, given, pk) => {
    await state.commitPage(given, pageOf(12), now)
    expect(testbed.dynamodb.item(pk, 'page#000012')).toBeDefined()
  })

  it('is committed although its response was lost and the client repeated the write', async () => {
    testbed.repeatNextWrite()
    await state.commitPage(attempt, pageOf(1), now)
    testbed.repeatNextWrite()
    await state.commitEnd(attempt, endOf(2), now)
    expect(await pagesOf(attempt)).toEqual([pageOf(1)])
  })

  it.each<[string, CommittedPage | CommittedEnd]>([
    ['the page of another worker', pageOf(1, 'other')],
    ['the end mark of another worker', endOf(1)],
  ])('is refused if its number is taken by %s', async (_, other) => {
    if (other.kind === 'page') await state.commitPage(attempt, other, now)
    else await state.commitEnd(attempt, other, now)
    await expect(state.commitPage(attempt, pageOf(1), now)).rejects.toMatchObject(lostAt(1))
    await expect(state.commitEnd(attempt, endOf(1, 'end-2'), now)).rejects.toMatchObject(lostAt(1))
  })

  it('is refused if the item of its number has expired since', async () => {
    await state.commitPage(attempt, pageOf(1), now)
    const { dynamodb } = testbed
    dynamodb.read = async (request) => {
      if (request.kind === 'get') dynamodb.writeNow({ kind: 'remove', key: request.key, condition: {} })
      return dynamodb.readNow(request)
    }
    await expect(state.commitPage(attempt, pageOf(1), now)).rejects.toMatchObject(lostAt(1))
  })
})

describe('the pages of an attempt', () => {
  it('are read in the order of their numbers, without the end mark', async () => {
    for (const page of [2, 10, 9, 1]) await state.commitPage(attempt, pageOf(page), now)
    await state.commitEnd(attempt, endOf(11), now)
    expect((await pagesOf(attempt)).map(({ page }) => page)).toEqual([1, 2, 9, 10])
  })

  it('are those of this attempt only', async () => {
    await state.commitPage(attempt, pageOf(1), now)
    expect(await pagesOf({ ...attempt, attempt: 1 })).toEqual([])
    expect(await pagesOf({ ...attempt, range: 2 })).toEqual([])
  })
})

describe('the committed position of an attempt', () => {
  it('is undefined before the first page', async () => {
    expect(await state.lastPosition(attempt)).toBeUndefined()
  })

  it('is after the last page or the end mark', async () => {
    for (const page of [1, 2]) await state.commitPage(attempt, pageOf(page), now)
    const { kind, page, documentsSoFar, repeatedPages } = pageOf(2)
    const afterPage = { ...cursor, kind, page, documentsSoFar, repeatedPages }
    expect(await state.lastPosition(attempt)).toEqual(afterPage)
    await state.commitEnd(attempt, endOf(3), now)
    const { id: _, isConfirmed: __, ...afterEnd } = endOf(3)
    expect(await state.lastPosition(attempt)).toEqual(afterEnd)
  })

  it.each([
    [true, 'confirmed'],
    [false, 'unconfirmed'],
  ])('is an end of 1.0.0, which records only whether it was confirmed: %s', async (isConfirmed, evidence) => {
    const { evidence: _, ...end } = endOf(1)
    await state.commitEnd(attempt, { ...end, isConfirmed }, now)
    expect(await state.lastPosition(attempt)).toMatchObject({ kind: 'end', evidence })
  })
})
