import { beforeEach, describe, expect, it } from 'vitest'
import { isNearWindow, nearUs, selectRecords } from '../../../../functions/worker/increment/select-records.ts'
import { endedBecause } from '../../../ended-because.ts'
import { documentAt, IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
let testbed: IncrementTestbed

beforeEach(async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
})

describe('documents near a window', () => {
  /** The platform finds this document in every window, once by search and once by scroll. */
  function find(members: object) {
    const text = JSON.stringify([{ id: 9, ...members }])
    testbed.respond = (_, url) => {
      if (!url.searchParams.get('_where')?.includes('updatedIn between')) {
        return url.searchParams.has('_token') && url.searchParams.get('_token') === 'window'
          ? { status: 200, headers: {}, body: Buffer.alloc(0) }
          : undefined
      }
      const date = new Date(testbed.now).toUTCString()
      const headers = {
        date,
        'rest-content-range': 'resources 0-1/1',
        'rest-content-total': '1',
        'x-svc-md-token': 'window',
      }
      return { status: 200, headers, body: Buffer.from(text) }
    }
  }
  const textOf = (time: number) => new Date(time).toISOString().slice(0, 19)

  it.each([
    ['three hours behind, in local time without a zone', -3 * 60 * minute],
    ['fourteen hours ahead', 14 * 60 * minute],
    ['a day ago, by an index of days', -day],
  ])('are records: %s', async (_, offset) => {
    find({ createdIn: '2020-01-01', updatedIn: textOf(testbed.now + offset) })
    expect(await testbed.increment()).toMatchObject({ status: 'published', records: 1 })
    // What was delivered is remembered by its window, not by its own dates.
    for (let hours = 0; hours < 4; hours++)
      expect(await testbed.increment(60 * minute)).toMatchObject({ status: 'published', records: 0 })
  })

  it('are not of the window if they are further away', async () => {
    find({ createdIn: '2020-01-01', updatedIn: textOf(testbed.now - 3 * day) })
    expect(await testbed.increment()).toMatchObject(
      endedBecause(
        'failed',
        /ignores the filter.* it sent a document of \S+Z, which is more than two days outside\.$/,
      ),
    )
  })

  it.each([
    ['17/07/2026 10:00:00', 'updatedIn: 17/07/2026 10:00:00'],
    [null, 'createdIn: 1.2.2020'],
  ])('are named if they are in another form than ISO 8601: updatedIn %s', async (updatedIn, named) => {
    find({ createdIn: '1.2.2020', updatedIn })
    const reason = `The platform writes dates in another form than ISO 8601 (${named}), which increments need`
    expect(await testbed.increment()).toMatchObject(endedBecause('failed', reason))
  })

  it.each([{}, { updatedIn: '/Date(1795000000000)/', createdIn: 1795000000000 }])(
    'need a date that can be read: %j',
    async (dates) => {
      find(dates)
      expect(await testbed.increment()).toMatchObject(
        endedBecause(
          'failed',
          'or writes dates in another form than ISO 8601: it sent a document without a readable date.',
        ),
      )
    },
  )
})

describe('the documents of a window', () => {
  const window = { from: 100, latest: 200 }

  it.each<[updatedIn: number | undefined, createdIn: number | undefined, isIn: boolean]>([
    [100, undefined, true],
    [99, undefined, false],
    [200, undefined, true],
    [201, undefined, false],
    [undefined, 100, true],
    [undefined, 99, false],
    [201, 150, true],
    [150, 50, true],
    [undefined, undefined, false],
  ])('updatedIn %s, createdIn %s: %s', (updatedIn, createdIn, isIn) => {
    const { from, latest } = window
    const near = { from: from + nearUs, latest: latest - nearUs }
    expect(isNearWindow({ updatedIn, createdIn }, near)).toBe(isIn)
  })

  it('are delivered in their newest version, and of equally new ones in the last', () => {
    const at = Date.UTC(2031, 0, 2)
    const versions = [
      documentAt(1, 'old', { created: at, updated: at + 1 }),
      documentAt(1, 'new', { created: at, updated: at + 2 }),
      documentAt(1, 'last', { created: at, updated: at + 2 }),
      documentAt(1, 'late', { created: at, updated: at + 1 }),
    ]
    const selection = selectRecords([Buffer.from(versions.map((line) => `${line}\n`).join(''))], {
      idField: 'id',
      ignore: [],
      from: 0,
      to: 1,
      latest: Number.POSITIVE_INFINITY,
      delivered: new Map(),
    })
    expect(selection).toMatchObject({ records: 1, older: 0, lines: new Map([[0, new Set([2])]]) })
  })
})
