import { Agent, get } from 'node:http'
import { argv } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LambdaHandler } from '../../local/lambda.ts'
import { call } from '../function-call.ts'
import { median, percentile } from '../table.ts'
import { report } from './report.ts'

/**
 * Warm calls through the built proxy, and the same calls made directly, by turns. Arguments: the upstream and its
 * delay, the calls in flight, the calls in all.
 */
const [, , upstream = '', delayMs = '0', inFlight = '1', calls = '1000'] = argv
const { handler } = (await import(new URL('../../dist/proxy/handler.mjs', import.meta.url).href)) as {
  handler: LambdaHandler
}
const event = call('GET /api/logistics/pvt/configuration/docks/{dockId}', { dockId: 'main' })
// biome-ignore lint/suspicious/noExplicitAny: the proxy asks for no more of it
const context: any = { getRemainingTimeInMillis: () => 29_000 }
const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })

const ways = {
  proxied: async () => {
    const { statusCode } = (await handler(event, context)) as { statusCode: number }
    if (statusCode !== 200) throw new Error(`The proxy answered ${statusCode}.`)
  },
  direct: () =>
    new Promise<void>((resolve, reject) => {
      const request = get(`${upstream}${event.rawPath}`, { agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          Buffer.concat(chunks)
          resolve()
        })
      })
      request.on('error', reject)
    }),
}
type Way = keyof typeof ways
/** Of each round. */
const figures: Record<Way, { p50: number; p99: number; processorMs: number }[]> = { proxied: [], direct: [] }

async function round(way: Way, count: number): Promise<void> {
  let left = count
  const latencies: number[] = []
  const before = process.cpuUsage()
  const one = async (_: unknown, place: number) => {
    // Evenly over the time of an answer: calls of the same moment would wait for each other.
    await sleep((place * Number(delayMs)) / Number(inFlight))
    while (left-- > 0) {
      const startedAt = performance.now()
      await ways[way]()
      latencies.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: Number(inFlight) }, one))
  const { user, system } = process.cpuUsage(before)
  figures[way].push({
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    processorMs: (user + system) / 1000 / count,
  })
}

const rounds = 10
const startedAt = performance.now()
// The first is to warm up.
for (let turn = 0; turn < rounds + 1; turn++) {
  for (const way of ['proxied', 'direct'] as const) await round(way, Number(calls) / rounds)
}
const of = (way: Way) => {
  const kept = figures[way].slice(1)
  const middle = (figure: keyof (typeof kept)[number]) => median(kept.map((one) => one[figure]))
  return { p50: middle('p50'), p99: middle('p99'), processorMs: middle('processorMs') }
}
report(startedAt, { proxied: of('proxied'), direct: of('direct') })
