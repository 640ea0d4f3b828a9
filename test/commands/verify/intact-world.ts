import { setTimeout as sleep } from 'node:timers/promises'
import { GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { settingsOf } from '../../../lib/config.ts'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { awsClients } from '../../../operator/aws/clients.aws.ts'
import { openVersions } from '../../../operator/aws/stored-versions.aws.ts'
import { openState } from '../../../operator/sync/syncs.ts'
import type { Verifying } from '../../../operator/verify/verify-stored.ts'
import { openObjects } from '../../../stored/objects.aws.ts'
import { createTableStore } from '../../../stored/tables/tables.aws.ts'
import { startLocalWorld, succeeds } from '../../drills/local/world.ts'
import { MemoryS3 } from '../../simulation/stores/memory-s3.ts'

export interface IntactWorld
  extends Pick<Verifying, 'bucket' | 'settings' | 'recorded' | 'readRuns' | 'now'> {
  readonly s3: MemoryS3
}

const documents = makeDocuments(90)

/** As it was updated some seconds ago, so that it is in a window that ends now. */
const updated = (document: Buffer | undefined, note: string) =>
  Buffer.from(
    String(document)
      .replace('"updatedIn":null', `"updatedIn":"${new Date(Date.now() - 5000).toISOString()}"`)
      .replace(/"note":"x*/, `"note":"${note}`),
  )

/**
 * What the services of `npm start` have stored of an entity with everything: three snapshots and a refused one, each kind
 * of set, a withheld document, and a table. The time is a day later.
 */
export async function storeIntactWorld(): Promise<IntactWorld> {
  const world = await startLocalWorld({
    entities: [
      {
        name: 'CL',
        schedule: 'rate(1 day)',
        pageSize: 20,
        totalTolerancePercent: 5,
        columns: ['id', 'email', 'number'],
        schemaReport: true,
        increments: { schedule: 'rate(5 minutes)' },
      },
    ],
  })
  const { platform, longshore } = world
  const { configuration, bucket, table } = world.bundle.instance
  const list = documents.slice(0, 70)
  const publish = async () => {
    platform.documents.set('CL', [...list])
    await succeeds(longshore('sync CL --watch'))
    await world.compared('CL')
  }
  const deliver = async (from: number, note: string) => {
    for (let index = from; index < from + 3; index++) list[index] = updated(list[index], note)
    platform.documents.set('CL', [...list])
    await succeeds(longshore('sync CL --increment --watch'))
  }
  await publish()
  list.splice(0, 2, updated(list[0], 'first'))
  list.push(...documents.slice(70, 72))
  await publish()
  await deliver(5, 'second')
  await deliver(20, 'third')
  // The last document is missing.
  const change = (page: Buffer[]) => page.slice(0, -1)
  platform.faults.add({ match: onScroll({ entity: 'CL' }), fault: { kind: 'page', change }, after: 3 })
  await publish()
  await deliver(30, 'fourth')
  // Windows end at a second.
  await sleep(1100)
  await deliver(40, 'fifth')
  platform.documents.set('CL', list.slice(0, 20))
  await longshore('sync CL --watch')
  const stored = openState(table)
  const { latest: recorded } = await stored.readEntity('CL')
  const runs = await stored.listRuns('CL')
  const s3 = await copyOf(bucket)
  await world.close()
  return {
    s3,
    bucket,
    recorded,
    settings: settingsOf(configuration).entities.find(({ name }) => name === 'CL'),
    readRuns: async (runIds) => runs.filter(({ runId }) => runIds.includes(runId)),
    now: Date.now() + 24 * 3_600_000,
  }
}

async function copyOf(Bucket: string): Promise<MemoryS3> {
  const client = awsClients.bucket()
  const copy = new MemoryS3()
  copy.now = Date.now
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
  for (const { Key = '' } of Contents) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
    await openObjects(Bucket, copy as unknown as S3Client).putBytes(
      Key,
      (await Body?.transformToByteArray()) ?? Buffer.alloc(0),
    )
  }
  return copy
}

/** A copy of the world with its own bucket. */
export function copyWorld({ s3, ...world }: IntactWorld): Verifying & { readonly s3: MemoryS3 } {
  const copy = new MemoryS3()
  copy.now = () => world.now
  copy.copyFrom(s3)
  const client = copy as unknown as S3Client
  const objects = openObjects(world.bucket, client)
  return {
    ...world,
    s3: copy,
    entity: 'CL',
    read: (key) => objects.readBytes(key),
    list: (prefix) => objects.listObjects(prefix),
    tables: createTableStore(world.bucket, client),
    versions: openVersions(world.bucket, client),
    objects,
    onRead: () => undefined,
  }
}
