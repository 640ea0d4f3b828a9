import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { oldVersionDays } from '../functions/runtime/settings-schema/bucket-retention.ts'
import { type PlayedSyncs, playSyncs } from '../test/unit/state/slots/waiting-syncs.ts'
import { documentAt, IncrementTestbed } from '../test/unit/worker/increment/increment-testbed.ts'
import { costOfMillionDocuments } from './benchmarks/cost.ts'
import { callLogBytes, costOfMillionCalls } from './call-cost.ts'
import { costOfIncrement, countCalls } from './increment-cost.ts'
import { prices } from './prices.ts'

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const page = read('docs/costs.md')
const dollars = (amount: number) => amount.toFixed(2)
const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)

const upstreamMs = 50
const hoursPerMonth = 730
const monthlySyncs = 120
const incrementsPerMonth = 8_640
const gigabyte = 1e9

/** What the benchmark has measured with 1,024 MB. */
const [, secondsPerMillion = '', , , warmMs = '', dollarsPerMillionCalls = ''] =
  /^\| 1,024 MB \|([^|]+)\|([^|]+)\|([^|]+)\|([^|]+)\|([^|]+)\|$/m.exec(read('bench/performance.md')) ?? []

/** An increment of an entity of 6,000 documents, with its requests to the platform and its calls of AWS counted. */
async function increment(changed: number) {
  const testbed = new IncrementTestbed()
  testbed.entity = { ...testbed.entity, pageSize: 1000 }
  const created = testbed.now - 10 * 86_400_000
  const text = 'x'.repeat(800)
  testbed.documents = Array.from({ length: 6000 }, (_, id) => documentAt(id, text, { created }))
  await testbed.sync()
  testbed.now += 3 * 3_600_000
  await testbed.increment()
  const { counts, reset } = countCalls(testbed)
  const before = testbed.targets.length
  reset()
  testbed.logs.length = 0
  for (let id = 0; id < changed; id++)
    testbed.documents[id] = documentAt(id, `y${text}`, { created, updated: testbed.now + 60_000 })
  await testbed.increment()
  const metrics = testbed.logs.flatMap(({ fields }) => Object.keys(fields))
  return { dollars: costOfIncrement((testbed.targets.length - before) * upstreamMs, counts), metrics }
}

const idle = await increment(0)
const busy = await increment(500)
const busyHours = 6
/** Of one entity, whose documents change in 6 hours a day. */
const incrementsOfEntity =
  (incrementsPerMonth * (idle.dollars * (24 - busyHours) + busy.dollars * busyHours)) / 24
const recordsMetric = (prices.metric * busyHours) / 24

const perMillionDocuments = costOfMillionDocuments(Number(secondsPerMillion), 1024)
const perMillionCalls = costOfMillionCalls(Number(warmMs) + upstreamMs, 1024)

it('an increment without records has no value of IncrementRecords, which CloudWatch would charge', () => {
  expect(idle.metrics).not.toContain('IncrementRecords')
  expect(busy.metrics).toContain('IncrementRecords')
})

it('docs/costs.md has what a million calls cost with their log lines, as bench/performance.md does', () => {
  expect(dollarsPerMillionCalls.trim()).toBe(dollars(perMillionCalls))
  expect(page).toContain(`$${dollars(perMillionCalls)} per million`)
  expect(page).toContain(`${(callLogBytes() / 1000).toFixed(1)} KB of log lines`)
})

it('20 entities with an increment every 5 minutes cost at most $8', () => {
  const total = 20 * (incrementsOfEntity + recordsMetric)
  expect(total).toBeLessThanOrEqual(8)
  const quiet = 20 * incrementsPerMonth * idle.dollars
  expect(page).toContain(
    `20 entities every 5 minutes cost $${dollars(quiet)} a month if nothing changes, and $${dollars(total)} if each increment of ${busyHours} hours a day finds changes`,
  )
})

it('docs/costs.md has what a wait for a slot costs', async () => {
  const [free, waiting] = await Promise.all([playSyncs({ syncs: 10 }), playSyncs({ syncs: 300 })])
  const waits = 300 - 10
  const perWait = (of: PlayedSyncs) => [sum(of.transitions), of.invocations, of.reads, of.writes]
  const [transitions = 0, invocations = 0, reads = 0, writes = 0] = perWait(waiting).map(
    (count, index) => (count - 30 * (perWait(free)[index] ?? 0)) / waits,
  )
  const invocation = prices.lambdaRequest + 0.3 * prices.lambdaGigabyteSecond
  const cost =
    transitions * prices.stepFunctionsTransition +
    invocations * invocation +
    reads * 5 * prices.dynamoDbReadUnit +
    writes * prices.dynamoDbWriteUnit
  expect(page).toContain(
    `three state transitions and two invocations of the worker, $${dollars(1000 * cost)} per 1,000 waits`,
  )
})

it('the monthly example adds up', () => {
  const [keepSnapshots, perDay, millions] = [7, 4, 2]
  const deleted = oldVersionDays * perDay
  const snapshots = (keepSnapshots + deleted) * millions * 1e6 * 300
  // A dropped file is deleted a day later.
  const parquet = (keepSnapshots + perDay + deleted) * millions * 18.5e6
  const hours = (monthlySyncs / hoursPerMonth) * prices.metric
  const cloudWatch = 43 * prices.alarm + prices.dashboard + 35 * prices.metric + 10 * 2 * hours
  const documents = monthlySyncs * millions
  const base = [
    [
      'syncs',
      `${documents} million documents at $${perMillionDocuments.toFixed(3)} per million`,
      documents * perMillionDocuments,
    ],
    ['proxied calls', `1 million at $${dollars(perMillionCalls)} per million`, perMillionCalls],
    [
      'snapshots',
      '14 million documents compressed to about 0.3 KB each, and a week of deleted versions',
      (snapshots / gigabyte) * prices.s3Gigabyte,
    ],
    ['comparisons', `${documents} million documents at $0.002 per million`, documents * 0.002],
    ['secret', '1', prices.secret],
    ['CloudWatch', 'at most, see [below](#cloudwatch)', cloudWatch],
  ] as const
  const more = [
    [
      'increments',
      `10 entities every 5 minutes, with changes in ${busyHours} hours a day; one alarm and 10 metrics`,
      10 * (incrementsOfEntity + recordsMetric) + prices.alarm,
    ],
    [
      'typed tables',
      `${documents} million documents at $0.002 per million; one alarm`,
      documents * 0.002 + prices.alarm,
    ],
    [
      'Parquet files',
      `19 MB per million rows: ${keepSnapshots} kept versions, and those deleted in the last ${oldVersionDays + 1} days`,
      (parquet / gigabyte) * prices.s3Gigabyte,
    ],
  ] as const
  const rows = (all: readonly (readonly [string, string, number])[]) =>
    all.map(([item, calculation, amount]) => `| ${item} | ${calculation} | ${dollars(amount)} |`)
  const baseTotal = sum(base.map(([, , amount]) => amount))
  const total = baseTotal + sum(more.map(([, , amount]) => amount))
  expect(page).toContain(
    [
      ...rows(base),
      `| **total** | | **${Math.round(baseTotal)}** |`,
      ...rows(more),
      `| **total with increments and typed tables** | | **${Math.round(total)}** |`,
    ].join('\n'),
  )
  expect(read('README.md')).toContain(`serves a million calls costs about **$${Math.round(baseTotal)}**`)
})
