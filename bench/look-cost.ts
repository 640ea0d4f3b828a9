import type { S3Client } from '@aws-sdk/client-s3'
import { createOutboxStore } from '../functions/alerts/outbox-store.ts'
import { check } from '../functions/freshness/check.ts'
import { createLookStore } from '../functions/problems/look-items.ts'
import { createTableStore } from '../functions/state/tables/tables.aws.ts'
import { entityNamed } from '../test/entity-named.ts'
import { documentAt, IncrementTestbed } from '../test/unit/worker/increment/increment-testbed.ts'
import { countCalls } from './increment-cost.ts'
import { prices } from './prices.ts'

/** Every five minutes. */
const looksPerMonth = 12 * 730
const megabytes = 512
const awsMs = 10
const entitiesAtOnce = 24
const logKilobytes = 1.5

/** What looks for problems cost in a month in which nothing changes, with their requests counted. */
export async function costOfLooks(entities: number): Promise<number> {
  const [none, one] = await Promise.all([countLook(0), countLook(1)])
  const sum = (count: keyof typeof none) => none[count] + entities * (one[count] - none[count])
  const perEntity = one.gets + one.puts - none.gets - none.puts
  const seconds = (awsMs * (10 + (entities * perEntity) / entitiesAtOnce)) / 1000
  const look =
    prices.lambdaRequest +
    seconds * (megabytes / 1024) * prices.lambdaGigabyteSecond +
    sum('puts') * prices.s3Put +
    sum('gets') * prices.s3Get +
    sum('readUnits') * prices.dynamoDbReadUnit +
    sum('writes') * prices.dynamoDbWriteUnit +
    (logKilobytes / 2 ** 20) * prices.logGigabyte
  return looksPerMonth * look
}

/** A look at this many entities that have published a snapshot and a change set. */
async function countLook(entities: 0 | 1) {
  const testbed = new IncrementTestbed()
  testbed.documents = [documentAt(1, 'x', { created: testbed.now - 86_400_000 })]
  await testbed.sync()
  const { snapshots, changes, dynamodb, s3, state } = testbed
  // The store of snapshots lists folders; here there is one, of an entity that is configured.
  const store = {
    ...snapshots,
    listEntities: async () => (await snapshots.listEntities()).slice(0, entities),
  }
  const now = () => testbed.now
  const log = () => undefined
  const context = {
    settings: { entities: entities === 0 ? [] : [entityNamed('CL', { schedule: 'rate(6 hours)' })] },
    state,
    looks: createLookStore(dynamodb),
    changes,
    tables: createTableStore('bucket', s3 as unknown as S3Client),
    snapshots: store,
    publishEvent: async () => undefined,
    alerts: {
      deployment: 'Shop',
      receivers: [{ type: 'topic', url: 'topic', notes: false } as const],
      outboxes: createOutboxStore(dynamodb),
      readSecret: async () => undefined,
      post: () => Promise.reject(new Error('Nothing is sent.')),
      publish: () => Promise.reject(new Error('Nothing is sent.')),
      commandLine: 'longshore',
      log,
      now,
    },
    log,
    now,
    sleep: async () => undefined,
  }
  const look = async () => {
    await check(context)
    await state.offerSlots()
  }
  await look()
  const { counts, reset } = countCalls(testbed)
  reset()
  await look()
  return counts
}
