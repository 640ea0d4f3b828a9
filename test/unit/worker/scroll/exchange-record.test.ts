import { expect, it } from 'vitest'
import { ExchangeRecord } from '../../../../functions/worker/scroll/exchange-record.ts'

const response = (status: number) => ({ status, headers: {}, body: Buffer.from('[{"id":1}]') })

it('names the first request of an item, also after a page that cannot be stored', () => {
  const record = new ExchangeRecord([], { now: () => 0, redact: (text) => text })
  record.sent('/first')
  record.responded(response(200))
  record.searched([1])
  const opening = record.take()
  record.sent('/second')
  record.giveBack(opening)
  record.responded(response(201))
  expect(record.take()).toMatchObject({
    request: '/first',
    exchanges: [{ status: 200 }, { status: 201 }],
    searched: [1],
  })
  record.sent('/third')
  expect(record.take()).toMatchObject({ request: '/third', exchanges: [] })
})
