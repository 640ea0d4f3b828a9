import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { oldVersionDays } from '../functions/runtime/settings-schema/bucket-retention.ts'
import { countCalls } from '../test/counted-calls.ts'
import { countLook } from '../test/unit/look/counted-look.ts'
import { type PlayedSyncs, playSyncs } from '../test/unit/stored/slots/waiting-syncs.ts'
import { documentAt, IncrementTestbed } from '../test/unit/worker/increment/increment-testbed.ts'
import { costOfMillionDocuments } from './benchmarks/cost.ts'
import { callLogBytes, costOfMillionCalls } from './call-cost.ts'
import { costOfIncrement } from './increment-cost.ts'
import { prices } from './prices.ts'

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const page = read('docs/costs.md')
const dollars = (amount: number) => amount.toFixed(2)
const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)

const upstreamMs = 50
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
  for (let id = 0; id < changed; id++)
    testbed.documents[id] = documentAt(id, `y${text}`, { created, updated: testbed.now + 60_000 })
  await testbed.increment()
  return costOfIncrement((testbed.targets.length - before) * upstreamMs, counts)
}

const idle = await increment(0)
const busy = await increment(500)
const busyHours = 6
/** Of one entity, whose documents change in 6 hours a day. */
const incrementsOfEntity = (incrementsPerMonth * (idle * (24 - busyHours) + busy * busyHours)) / 24

const perMillionDocuments = costOfMillionDocuments(Number(secondsPerMillion), 1024)
const perMillionCalls = costOfMillionCalls(Number(warmMs) + upstreamMs, 1024)

/** Those of the eight alarms, each of which is charged (test/infra/monitoring.test.ts). */
const alarmMetrics = 13
const alarms = alarmMetrics * prices.alarm
const looksPerMonth = 12 * 730
/** Of the function, with 512 MB: requests take 10 ms each, and 24 entities are read at once. */
const lookSeconds = (entities: number, requestsOfEntity: number) =>
  0.01 * (10 + (entities * requestsOfEntity) / 24)
const [lookAtNone, lookAtOne] = await Promise.all([countLook(0), countLook(1)])

/** Looks for problems in a month in which nothing changes. */
function looks(entities: number): number {
  const each = (count: keyof typeof lookAtOne) => lookAtOne[count] - lookAtNone[count]
  const all = (count: keyof typeof lookAtOne) => lookAtNone[count] + entities * each(count)
  const look =
    prices.lambdaRequest +
    (lookSeconds(entities, each('gets') + each('puts')) / 2) * prices.lambdaGigabyteSecond +
    all('puts') * prices.s3Put +
    all('gets') * prices.s3Get +
    all('readUnits') * prices.dynamoDbReadUnit +
    all('writeUnits') * prices.dynamoDbWriteUnit +
    (1.5 / 2 ** 20) * prices.logGigabyte
  return looksPerMonth * look
}

it('a deployment that nobody uses costs at most $2 a month', () => {
  const idleMonth = alarms + prices.secret + looks(1)
  expect(idleMonth).toBeLessThanOrEqual(2)
  expect(page).toContain(
    `A deployment that nobody uses costs about $${dollars(idleMonth)} a month: eight alarms over ${alarmMetrics} metrics ($${dollars(alarms)}), the secret ($0.40), and a look for problems every 5 minutes ($${dollars(looks(1))})`,
  )
  expect(read('README.md')).toContain(`An idle deployment costs about **$${Math.round(idleMonth)} a month**`)
})

it('docs/costs.md has what a million calls cost with their log lines, as bench/performance.md does', () => {
  expect(dollarsPerMillionCalls.trim()).toBe(dollars(perMillionCalls))
  expect(page).toContain(`$${dollars(perMillionCalls)} per million`)
  expect(page).toContain(`${(callLogBytes() / 1000).toFixed(1)} KB of log lines`)
})

it('20 entities with an increment every 5 minutes cost at most $3.60 more with the look at them, and $7 with changes', async () => {
  const look = looks(20) - looks(0)
  const quiet = 20 * incrementsPerMonth * idle
  const total = 20 * incrementsOfEntity
  expect(quiet + look).toBeLessThanOrEqual(3.6)
  expect(total + look).toBeLessThanOrEqual(7)
  expect(page).toContain(
    `20 entities every 5 minutes cost $${dollars(quiet)} a month if nothing changes, and $${dollars(total)} if each increment of ${busyHours} hours a day finds changes; the look at them costs $${dollars(look)}`,
  )
})

/** Of the first of these syncs, each of which takes two minutes, in US dollars per wait. */
async function costOfWaits(syncs: number): Promise<number> {
  const slots = 10
  const syncMs = 2 * 60_000
  const [free, waiting] = await Promise.all([
    playSyncs({ syncs: slots, syncMs }),
    playSyncs({ syncs, syncMs }),
  ])
  const waits = syncs - slots
  const all = (of: PlayedSyncs) => [sum(of.transitions), of.invocations, of.reads, of.writes]
  const [transitions = 0, invocations = 0, reads = 0, writes = 0] = all(waiting).map(
    (count, index) => (count - (syncs / slots) * (all(free)[index] ?? 0)) / waits,
  )
  const invocation = prices.lambdaRequest + 0.3 * prices.lambdaGigabyteSecond
  return (
    transitions * prices.stepFunctionsTransition +
    invocations * invocation +
    reads * 5 * prices.dynamoDbReadUnit +
    writes * prices.dynamoDbWriteUnit
  )
}

it('docs/costs.md has what waiting and looking at 400 entities cost', async () => {
  const perWait = await costOfWaits(400)
  const month = monthlySyncs * 390 * perWait
  expect(month).toBeLessThanOrEqual(13)
  expect(page).toContain(
    `400 entities that start together every 6 hours and take two minutes each wait for $${dollars(month)} a month, and the look at them costs $${dollars(looks(400))}`,
  )
})

it('the monthly example adds up, and costs at most $11', async () => {
  const [keepSnapshots, perDay, millions] = [7, 4, 2]
  const deleted = oldVersionDays * perDay
  const snapshots = (keepSnapshots + deleted) * millions * 1e6 * 300
  // A dropped file is deleted a day later.
  const parquet = (keepSnapshots + perDay + deleted) * millions * 18.5e6
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
    ['alarms', `eight, over ${alarmMetrics} metrics`, alarms],
    ['metrics', 'at most six, in the hours in which they have values', 6 * prices.metric],
    ['looks for problems', '10 entities every 5 minutes', looks(10)],
  ] as const
  const more = [
    [
      'increments',
      `10 entities every 5 minutes, with changes in ${busyHours} hours a day`,
      10 * incrementsOfEntity,
    ],
    ['typed tables', `${documents} million documents at $0.002 per million`, documents * 0.002],
    [
      'Parquet files',
      `19 MB per million rows: ${keepSnapshots} kept versions, and those deleted in the last ${oldVersionDays + 1} days`,
      (parquet / gigabyte) * prices.s3Gigabyte,
    ],
  ] as const
  const rows = (all: readonly (readonly [string, string, number])[]) =>
    all.map(([item, calculation, amount]) => `| ${item} | ${calculation} | ${dollars(amount)} |`)
  const baseTotal = sum(base.map(([, , amount]) => amount))
  expect(baseTotal).toBeLessThanOrEqual(11)
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
