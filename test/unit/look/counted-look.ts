import type { S3Client } from '@aws-sdk/client-s3'
import { check } from '../../../functions/look/check.ts'
import { pointersOf } from '../../../functions/problems/pointers.ts'
import { createTableStore } from '../../../stored/tables/tables.aws.ts'
import { countCalls } from '../../counted-calls.ts'
import { entityNamed } from '../../entity-named.ts'
import { documentAt, IncrementTestbed } from '../worker/increment/increment-testbed.ts'
import { checkContext } from './check-context.ts'

/** The requests of a look at this many entities that have published a snapshot and a change set, while nothing changes. */
export async function countLook(entities: 0 | 1) {
  const testbed = new IncrementTestbed()
  testbed.documents = [documentAt(1, 'x', { created: testbed.now - 86_400_000 })]
  await testbed.sync()
  const { snapshots, changes, dynamodb, s3, state } = testbed
  // The store of snapshots lists folders; here there is one, of an entity that is configured.
  const store = {
    ...snapshots,
    listFolders: async (prefix: string) => (await snapshots.listFolders(prefix)).slice(0, entities),
  }
  const increments = { schedule: 'rate(5 minutes)', lookbackMinutes: 60 }
  const stores = {
    state,
    changes,
    tables: createTableStore('bucket', s3 as unknown as S3Client),
    snapshots: store,
  }
  const unsent = () => Promise.reject(new Error('Nothing is sent.'))
  const context = checkContext(
    dynamodb,
    {
      ...stores,
      checkPointers: pointersOf(stores),
      settings: {
        entities: [entityNamed('CL', { schedule: 'rate(6 hours)', increments })].slice(0, entities),
        credentials: {},
      },
      publishEvent: unsent,
      now: () => testbed.now,
    },
    { receivers: [{ type: 'topic', url: 'topic', notes: false }], post: unsent, publish: unsent },
  )
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
