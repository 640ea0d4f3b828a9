import { measure, startServer } from './processes.ts'
import { atMost, figure, type Report, type Target } from './table.ts'
import { functionEnvironment } from './worker-environment.ts'

interface Latency {
  readonly p50: number
  readonly p99: number
  readonly processorMs: number
}

export interface LatencyFigures {
  readonly proxied: Latency
  readonly direct: Latency
}

/**
 * 50 calls in flight are let wait for their answers as long as calls to a platform do: at 0 ms they would measure
 * how they queue for one processor, of which Lambda gives each call its own.
 */
const loads = [
  { inFlight: 1, delayMs: 0 },
  { inFlight: 50, delayMs: 50 },
] as const

/** What the proxy adds to a warm call. */
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
      atMost(`Added at ${inFlight} in flight, p50`, proxied.p50 - direct.p50, { limit: 0.5, unit: 'ms' }),
      atMost(`Added at ${inFlight} in flight, p99`, proxied.p99 - direct.p99, { limit: 2, unit: 'ms' }),
      // As many for each of the two ways, and one for the question.
      atMost(`Connections for ${calls * 2} calls at ${inFlight} in flight`, connections, {
        limit: 2 * inFlight + 1,
        unit: '',
      }),
    )
  }
  return {
    title:
      '5. Added latency: a warm call through the proxy over the same call made directly; medians of 10 rounds, ms',
    columns: ['', 'p50', 'p99', 'processor'],
    rows,
    targets,
  }
}

async function latencyOf({ inFlight, delayMs, calls }: { inFlight: number; delayMs: number; calls: number }) {
  const platform = await startServer<{ endpoint: string }>('upstream', {
    documents: 1000,
    bytes: 1024,
    pageSize: 1000,
    delayMs,
  })
  const aws = await startServer<Record<string, string>>('aws')
  const surroundings = functionEnvironment(platform.ready.endpoint, aws.ready)
  try {
    const figures = await measure<LatencyFigures>('latency', {
      arguments: [platform.ready.endpoint, String(delayMs), String(inFlight), String(calls)],
      variables: surroundings.variables,
    })
    const answer = await fetch(`${platform.ready.endpoint}/connections`)
    const { connections } = (await answer.json()) as { connections: number }
    return { ...figures, connections }
  } finally {
    surroundings.remove()
    await Promise.all([platform.close(), aws.close()])
  }
}
