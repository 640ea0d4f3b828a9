import { expect, it } from 'vitest'
import { createSearch } from '../../../../functions/worker/ranges/range-session.ts'

type Context = Parameters<typeof createSearch>[0]
type Session = Parameters<typeof createSearch>[1]

const reserveMs = 30_000

/** The time limit of a search when the worker has this much time left. */
async function limitOf(leftMs: number): Promise<number | undefined> {
  let totalMs: number | undefined
  const context = {
    settings: { upstream: { searchPath: '/search' } },
    upstream: {
      async send(request: { totalMs: number }) {
        totalMs = request.totalMs
        return {
          status: 200,
          headers: { 'rest-content-range': 'resources=0-1/5' },
          body: Buffer.from('[{}]'),
        }
      },
    },
    invocation: { killedAt: 1_000_000 },
    now: () => 1_000_000 - leftMs,
  } as unknown as Context
  const session = {
    run: { entity: 'CL', plan: { query: {} } },
    countRequest: async () => {},
    countSearch: async () => true,
  } as unknown as Session
  await createSearch(context, session, 'createdIn')({})
  return totalMs
}

it.each([
  ['30 seconds', 10 * reserveMs, 30_000],
  ["the worker's time, but for its last 30 seconds", reserveMs + 5_000, 5_000],
])('the time limit of a search is %s', async (_, leftMs, expected) =>
  expect(await limitOf(leftMs)).toBe(expected),
)
