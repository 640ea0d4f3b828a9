import { cpuShareOf } from './cpu-share.ts'
import { prices } from './prices.ts'
import { type StartCurve, startsAt } from './start.ts'
import { syncOnce } from './sync.ts'
import { atMost, figure, type Report } from './table.ts'

/** What a function may get; the stacks say which it has, and docs/performance.md why. */
const memorySizes = [512, 1024, 1769] as const
const upstreamMs = 50

/** Measured durations, requests and memory by the price list, at the processor time that Lambda gives for memory. */
export async function benchCost({ quick }: { quick: boolean }): Promise<Report> {
  const documents = quick ? 20_000 : 100_000
  const rows: string[][] = []
  const dollars = new Map<number, number>()
  for (const megabytes of memorySizes) {
    const share = cpuShareOf(megabytes)
    if (!share) continue
    try {
      const { seconds } = await syncOnce(
        'worker',
        { documents, bytes: 1024, pageSize: 1000, delayMs: upstreamMs },
        { share },
      )
      const start: StartCurve = await startsAt(share, quick ? 3 : 10)
      const million = (seconds * 1e6) / documents
      const copied = costOfMillionDocuments(million, megabytes)
      dollars.set(megabytes, copied)
      rows.push([
        `${megabytes} MB`,
        figure(million),
        figure(copied),
        figure(start.coldMs),
        figure(start.warmMs),
        figure(costOfMillionCalls(start.warmMs + upstreamMs, megabytes)),
      ])
    } finally {
      share.remove()
    }
  }
  const chosen = dollars.get(1024)
  return {
    title: `6. Cost by list price in us-east-1, arm64, upstream ${upstreamMs} ms a page or call, storage apart`,
    columns: ['memory', 's a million documents', '$', 'first call ms', 'warm call ms', '$ a million calls'],
    rows,
    targets:
      chosen === undefined
        ? []
        : [atMost('A million documents of 1 KB with 1,024 MB', chosen, { limit: 0.05, unit: '$' })],
    notes:
      rows.length > 0
        ? ['Prices: bench/prices.ts, not verified against the list.']
        : ['Left out: this user may not make a cpu cgroup, by which the curve is measured.'],
  }
}

/** Pages of 1,000 documents. A page's item has 8 KB of fingerprints; it is read back if workers took turns. */
function costOfMillionDocuments(seconds: number, megabytes: number): number {
  const pages = 1000
  const itemKilobytes = 9
  const steps = Math.ceil(seconds / 780)
  return (
    seconds * (megabytes / 1024) * prices.lambdaGigabyteSecond +
    pages *
      (prices.s3Put +
        itemKilobytes * prices.dynamoDbWriteUnit +
        (steps > 1 ? itemKilobytes / 4 : 0) * prices.dynamoDbReadUnit) +
    // Lease, run and place are written at the start, at the end and every 20 seconds.
    (20 + (seconds / 20) * 2) * prices.dynamoDbWriteUnit +
    // Entering the machine, each step with its choice, the end.
    (3 + 2 * steps) * prices.stepFunctionsTransition +
    steps * (prices.lambdaRequest + prices.secretRead) +
    5 * prices.s3Put +
    prices.event
  )
}

function costOfMillionCalls(ms: number, megabytes: number): number {
  const logKilobytes = 0.5
  const one =
    prices.httpApiRequest +
    prices.lambdaRequest +
    (ms / 1000) * (megabytes / 1024) * prices.lambdaGigabyteSecond +
    (logKilobytes / 2 ** 20) * prices.logGigabyte
  return one * 1e6
}
