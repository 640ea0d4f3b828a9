import { callLogBytes, costOfMillionCalls } from '../call-cost.ts'
import { prices } from '../prices.ts'
import { cpuShareOf } from '../processes.ts'
import { atMost, figure, type Report } from '../report.ts'
import { startsAt } from './start.ts'
import { syncOnce } from './sync.ts'

/** Candidates. The stacks choose one, and bench/performance.md explains the choice. */
const memorySizes = [512, 1024, 1769] as const
const upstreamMs = 50

/** Multiplies measured durations and requests by list prices, with the share of a processor that each memory size gets. */
export async function benchCost({ quick }: { quick: boolean }): Promise<Report> {
  const documents = quick ? 20_000 : 100_000
  const rows: string[][] = []
  const dollars = new Map<number, number>()
  for (const megabytes of memorySizes) {
    using share = cpuShareOf(megabytes)
    if (!share) continue
    const { seconds } = await syncOnce(
      'worker',
      { documents, bytes: 1024, pageSize: 1000, delayMs: upstreamMs },
      { share },
    )
    const start = await startsAt(share, quick ? 3 : 10)
    const million = (seconds * 1e6) / documents
    const cost = costOfMillionDocuments(million, megabytes)
    dollars.set(megabytes, cost)
    rows.push([
      `${megabytes} MB`,
      figure(million),
      figure(cost),
      figure(start.coldMs),
      figure(start.warmMs),
      figure(costOfMillionCalls(start.warmMs + upstreamMs, megabytes)),
    ])
  }
  const chosen = dollars.get(1024)
  return {
    title: `6. Cost at list prices in us-east-1, arm64, upstream ${upstreamMs} ms per page or call, without storage of snapshots`,
    columns: [
      'memory',
      's per million documents',
      '$',
      'first call ms',
      'warm call ms',
      '$ per million calls',
    ],
    rows,
    targets:
      chosen === undefined ? [] : [atMost('A million documents of 1 KB with 1,024 MB', chosen, '0.05 $')],
    notes:
      rows.length > 0
        ? [
            `A call has ${callLogBytes()} bytes of log lines. Prices: bench/prices.ts, not checked against the price list.`,
          ]
        : ['Skipped: this user cannot create the cpu cgroup that limits the processor.'],
  }
}

/** What the publisher's check takes of one processor, by the benchmark of the proof. */
const checkSeconds = 13
const publisherMegabytes = 1769

/**
 * Pages of 1,000 documents, whose items are stored for a month. They are read by the publisher, which reads each page and
 * stores its entries while the worker waits.
 */
export function costOfMillionDocuments(seconds: number, megabytes: number): number {
  const pages = 1000
  const itemKilobytes = 2
  const steps = Math.ceil(seconds / 780)
  const gigabyteSeconds = ((seconds + checkSeconds) * megabytes + checkSeconds * publisherMegabytes) / 1024
  return (
    gigabyteSeconds * prices.lambdaGigabyteSecond +
    pages * (prices.s3Put + prices.s3Get + itemKilobytes * prices.dynamoDbWriteUnit) +
    // For the check of the range and for that of the run.
    2 * pages * (itemKilobytes / 4) * prices.dynamoDbReadUnit +
    ((pages * itemKilobytes) / 2 ** 20) * (prices.dynamoDbGigabyte + prices.dynamoDbBackupGigabyte) +
    // The lease and the slots of both limits are written at the start, at the end and every 20 seconds.
    (20 + (seconds / 20) * 3) * prices.dynamoDbWriteUnit +
    // The start, each step with its choice, and the end.
    (3 + 2 * steps) * prices.stepFunctionsTransition +
    steps * (prices.lambdaRequest + prices.secretRead) +
    // Both checks and the publication, the entries of 100,000 documents each, and the results.
    3 * prices.lambdaRequest +
    (10 + 7) * prices.s3Put +
    prices.event
  )
}
