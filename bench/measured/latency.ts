import { Agent, get } from 'node:http'
import { argv } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatewayEvent } from '../function-call.ts'
import { median, percentile, report } from '../report.ts'
import { builtHandler } from './built-handler.ts'

/**
 * Warm calls through the built proxy, alternating with direct calls. Arguments: the upstream, its delay, the number of
 * concurrent calls and the total number of calls.
 */
const [, , upstream = '', delayMs = '0', inFlight = '1', calls = '1000'] = argv
const handler = await builtHandler('proxy')
const event = gatewayEvent('GET /api/logistics/pvt/configuration/docks/{dockId}', { dockId: 'main' })
// biome-ignore lint/suspicious/noExplicitAny: the proxy uses nothing else of the context
const context: any = { getRemainingTimeInMillis: () => 29_000 }
const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })

const clients = {
  proxied: async () => {
    const { statusCode } = (await handler(event, context)) as { statusCode: number }
    if (statusCode !== 200) throw new Error(`The proxy responded with ${statusCode}.`)
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
type Client = keyof typeof clients
/** One entry per round. */
const figures: Record<Client, { p50: number; p99: number; processorMs: number }[]> = {
  proxied: [],
  direct: [],
}

async function round(client: Client, count: number): Promise<void> {
  let left = count
  const latencies: number[] = []
  const before = process.cpuUsage()
  const caller = async (_: unknown, index: number) => {
    // Spread over the response time, so that the calls do not wait for each other.
    await sleep((index * Number(delayMs)) / Number(inFlight))
    while (left-- > 0) {
      const startedAt = performance.now()
      await clients[client]()
      latencies.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: Number(inFlight) }, caller))
  const { user, system } = process.cpuUsage(before)
  figures[client].push({
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    processorMs: (user + system) / 1000 / count,
  })
}

const rounds = 10
const startedAt = performance.now()
// The first round is a warm-up.
for (let count = 0; count < rounds + 1; count++) {
  for (const client of ['proxied', 'direct'] as const) await round(client, Number(calls) / rounds)
}
const medians = (client: Client) => {
  const warm = figures[client].slice(1)
  const of = (figure: keyof (typeof warm)[number]) => median(warm.map((round) => round[figure]))
  return { p50: of('p50'), p99: of('p99'), processorMs: of('processorMs') }
}
report(startedAt, { proxied: medians('proxied'), direct: medians('direct') })
