import { expect, it } from 'vitest'
import { IncrementTestbed } from './increment/increment-testbed.ts'
import { secret } from './worker-testbed.ts'

const page = `<html><head><title>${secret} is blocked</title></head><body>${secret}</body></html>`

const responses = [
  { status: 403, headers: { 'content-type': 'text/html' }, body: Buffer.from(page) },
  { status: 403, headers: {}, body: Buffer.from(`{"message":"${secret} is not valid"}`) },
  { status: 400, headers: {}, body: Buffer.from(`Operation not found for ${secret}`) },
  { status: 404, headers: {}, body: Buffer.from(secret) },
  { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from(page) },
]

const requests: Record<string, (url: URL) => boolean> = {
  'the search': ({ pathname }) => !pathname.endsWith('/scroll'),
  'the first request of the scroll': ({ pathname, searchParams }) =>
    pathname.endsWith('/scroll') && !searchParams.has('_token'),
  'later requests of the scroll': ({ searchParams }) => searchParams.has('_token'),
}

it.each(Object.keys(requests))(
  'a secret in a response to %s is neither logged nor stored nor sent',
  async (of) => {
    for (const response of responses) {
      const testbed = new IncrementTestbed()
      await testbed.begin()
      for (const id of [1, 2, 3, 4]) testbed.update(id, 'second')
      testbed.respond = (_, url) => (requests[of]?.(url) ? response : undefined)
      const results = [await testbed.increment(), await testbed.stepToEnd()]
      const told = { results, logs: testbed.logs, events: testbed.events, items: testbed.dynamodb.all() }
      expect(JSON.stringify(told)).not.toContain(secret)
    }
  },
)
