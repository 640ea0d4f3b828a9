import { expect, it } from 'vitest'
import { UpstreamFailure, type UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import { withAge } from '../../../functions/worker/response-age.ts'
import { entityNamed } from '../../entity-named.ts'

const hour = 3_600_000
const start = Date.UTC(2031, 0, 2)
const scroll = {
  area: 'documents',
  method: 'GET',
  target: '/scroll?_token=t',
  headers: {},
  totalMs: 1,
} as const

/** A platform whose clock is late, behind a cache that responds to some scroll requests with what is this old. */
function platform(
  given: { lateMs?: () => number; oldMs?: (request: number) => number; probe?: () => void } = {},
) {
  const { lateMs = () => 0, oldMs = () => 0, probe = () => {} } = given
  const world = { now: start, scrolls: 0, probes: [] as string[] }
  const upstream = {
    async send({ target }: { target: string }): Promise<UpstreamResponse> {
      world.now += 400
      const isScroll = target.startsWith('/scroll')
      if (!isScroll) probe()
      if (!isScroll) world.probes.push(target)
      const date = world.now - lateMs() - (isScroll ? oldMs(++world.scrolls) : 0)
      return { status: 200, headers: { date: new Date(date).toUTCString() }, body: Buffer.from('[]') }
    },
  }
  const settings = { upstream: { searchPath: '/{data_entity}/search' }, entities: [entityNamed('CL')] }
  const client = withAge(upstream, settings as unknown as Parameters<typeof withAge>[1], () => world.now)
  const ages = async (requests: number) => {
    const found = []
    for (let request = 0; request < requests; request++) found.push((await client.send(scroll)).headers.age)
    return found
  }
  return { world, ages }
}

it('adds no age to responses of now, and asks nothing', async () => {
  const { world, ages } = platform({ oldMs: () => 59_000 })
  expect([await ages(3), world.probes]).toEqual([[undefined, undefined, undefined], []])
})

it.each([61_000, hour, 24 * hour])(
  'adds the age of a response of a cache that sends none: %i ms',
  async (oldMs) => {
    const { world, ages } = platform({ oldMs: (request) => (request === 2 ? 0 : oldMs) })
    const old = expect.stringMatching(new RegExp(`^(${oldMs / 1000 - 1}|${oldMs / 1000})$`)) as string
    expect(await ages(3)).toEqual([old, undefined, old])
    expect(world.probes).toEqual([expect.stringMatching(/^\/CL\/search\?id=longshore-\d+&_fields=id$/)])
  },
)

it.each([hour, -hour])('takes no clock that is wrong for an age: %i ms late', async (lateMs) => {
  const { world, ages } = platform({ lateMs: () => lateMs, oldMs: (request) => (request === 3 ? hour : 0) })
  const old = expect.stringMatching(/^(3599|3600)$/) as string
  expect(await ages(4)).toEqual([undefined, undefined, old, undefined])
  expect(world.probes.length).toBeLessThanOrEqual(2)
})

it('reads the clock again when it changes', async () => {
  let lateMs = 0
  const { world, ages } = platform({ lateMs: () => lateMs })
  for (lateMs of [0, hour, 0, 2 * hour]) {
    world.now += hour
    expect(await ages(2)).toEqual([undefined, undefined])
  }
  expect(world.probes).toHaveLength(2)
})

it('believes a response if the clock cannot be read, and throws errors of its own', async () => {
  let error: Error = new UpstreamFailure('timeout')
  const probe = () => {
    throw error
  }
  expect(await platform({ oldMs: () => hour, probe }).ages(2)).toEqual([undefined, undefined])
  error = new TypeError('ours')
  await expect(platform({ oldMs: () => hour, probe }).ages(1)).rejects.toThrow('ours')
})
