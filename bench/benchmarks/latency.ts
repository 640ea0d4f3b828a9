import { functionEnvironment, measure, startServer } from '../processes.ts'
import { atMost, figure, type Report, type Target } from '../report.ts'

interface Latency {
  readonly p50: number
  readonly p99: number
  readonly processorMs: number
}

/**
 * The 50 concurrent calls wait for a response as calls to a real platform do. At 0 ms they would measure queueing for
 * one processor, while on Lambda each call has its own.
 */
const loads = [
  { inFlight: 1, delayMs: 0 },
  { inFlight: 50, delayMs: 50 },
] as const

/** The latency that the proxy adds to a warm call. */
export async function benchLatency({ quick }: { quick: boolean }): Promise<Report> {
  const rows: string[][] = []
  const targets: Target[] = []
  for (const { inFlight, delayMs } of loads) {
    const calls = quick ? 500 : 10_000
    const { direct, proxied, connections } = await latencyOf({ inFlight, delayMs, calls })
    for (const [name, of] of [
      ['direct', direct],
      ['proxied', proxied],
    ] as const) {
      rows.push([
        `${inFlight} in flight, upstream ${delayMs} ms, ${name}`,
        figure(of.p50),
        figure(of.p99),
        figure(of.processorMs),
      ])
    }
    targets.push(
      atMost(`Added at ${inFlight} in flight, p50`, proxied.p50 - direct.p50, '0.5 ms'),
      atMost(`Added at ${inFlight} in flight, p99`, proxied.p99 - direct.p99, '2 ms'),
      // Direct and proxied calls each open one connection per call in flight. One more reads the count.
      atMost(
        `Connections for ${calls * 2} calls at ${inFlight} in flight`,
        connections,
        String(2 * inFlight + 1),
      ),
    )
  }
  return {
    title: '5. Added latency of a warm call through the proxy over a direct call; medians of 10 rounds, ms',
    columns: ['', 'p50', 'p99', 'processor'],
    rows,
    targets,
  }
}

async function latencyOf({ inFlight, delayMs, calls }: { inFlight: number; delayMs: number; calls: number }) {
  await using platform = await startServer<{ endpoint: string }>('upstream', {
    documents: 1000,
    bytes: 1024,
    pageSize: 1000,
    delayMs,
  })
  await using aws = await startServer<Record<string, string>>('aws')
  using deployment = functionEnvironment(platform.ready.endpoint, aws.ready)
  const figures = await measure<Record<'proxied' | 'direct', Latency>>('latency', {
    arguments: [platform.ready.endpoint, String(delayMs), String(inFlight), String(calls)],
    variables: deployment.variables,
  })
  const response = await fetch(`${platform.ready.endpoint}/connections`)
  const { connections } = (await response.json()) as { connections: number }
  return { ...figures, connections }
}
