import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientLimits } from '../../functions/runtime/client-limits.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { createSyncs } from '../../functions/syncs/syncs.ts'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { noProgress } from '../../stored/pages/page.ts'
import { newRun, newRunId } from '../../stored/run/run.ts'
import { skipped } from '../../stored/run/run-changes.ts'
import { createStateStore, type StateStore } from '../../stored/sync-state.ts'
import { runsToTry } from '../case-count.ts'
import { manyEntitySettings, writeManyRuns } from '../many-entities.ts'
import { startSlowTable } from '../slow-table.ts'

const table = 'state'
const runs = 3
/** A configuration has at most 400. */
const count = runsToTry(400)
const entities = manyEntitySettings(count)
const partitioned = entities.filter(({ partitions }) => partitions)
const skippedRuns = 3

/** Skipped starts are runs too, but the list leaves them out. */
async function skipStarts(state: StateStore, entity: EntitySettings, now: number) {
  for (let second = 1; second <= skippedRuns; second++) {
    const at = now + second * 1000
    const run = newRun({ runId: newRunId(at), entity, acceptShrink: false, execution: undefined, now: at })
    await state.createRun(skipped(run, { reason: 'A run is in progress.', progress: noProgress, now: at }))
  }
}

describe('the list of many entities, some of them in ranges and with skipped starts, from a table that responds in 5 ms', () => {
  let dynamoDb: Served
  let slow: Served

  beforeAll(async () => {
    dynamoDb = await startDynamoDb({ table })
    const client = new DynamoDBClient({ ...clientSettings, endpoint: dynamoDb.endpoint })
    const state = createStateStore(connectTable(table, client))
    const now = Date.now()
    await writeManyRuns(state, { entities, runs, now })
    await mapPooled(partitioned, 8, (entity) => skipStarts(state, entity, now))
    client.destroy()
    slow = await startSlowTable(dynamoDb.endpoint, 5)
  })
  afterAll(async () => {
    await Promise.all([slow.close(), dynamoDb.close()])
  })

  it('is complete with 8 sockets and the time limits of the function, in one read of every 100 items', async () => {
    const { requestHandler, maxAttempts } = clientLimits.table
    const client = new DynamoDBClient({
      ...clientSettings,
      endpoint: slow.endpoint,
      maxAttempts,
      requestHandler: { ...requestHandler, httpAgent: { maxSockets: 8 } },
    })
    const syncs = createSyncs({
      settings: { entities },
      state: createStateStore(connectTable(table, client)),
      executions: { arnOf: async () => '', start: async () => true, stop: async () => {} },
      log: () => {},
      now: Date.now,
    })
    const list = await syncs.list()
    client.destroy()
    expect(list.entities.map(({ entity }) => entity)).toEqual(entities.map(({ name }) => name))
    expect(list.entities.map(({ runs: listed }) => listed.length)).toEqual(entities.map(() => runs))
    const running = list.entities.flatMap(({ running }) => running ?? [])
    expect(running).toHaveLength(partitioned.length)
    // The worker of each has recorded 5,000 documents in each of its 9 ranges.
    expect(new Set(running.map(({ documents, percent }) => `${documents} ${percent}%`))).toEqual(
      new Set(['45000 45%']),
    )
    const reads = await (await fetch(slow.endpoint)).text()
    expect(reads).toBe(String(Math.ceil(count / 100) + Math.ceil((runs * count) / 100)))
  })
})
