import type { S3Client } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { withoutAccepted } from '../../../../functions/state/erasure/accepted-meanwhile.ts'
import { createObjectVersionStore } from '../../../../functions/state/object-versions.aws.ts'
import { newRun, newRunId, type RunResult } from '../../../../functions/state/run/run.ts'
import { publishing } from '../../../../functions/state/run/run-changes.ts'
import { createSnapshotStore } from '../../../../functions/state/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../../../functions/state/sync-state.ts'
import { entityNamed } from '../../../entity-named.ts'
import { MemoryDynamoDb } from '../../../simulation/stores/memory-dynamodb.ts'
import { MemoryS3 } from '../../../simulation/stores/memory-s3.ts'

const hour = 3_600_000
const now = Date.UTC(2031, 0, 20)
const client = new MemoryS3() as unknown as S3Client

it.each([
  [23, 'stay', 0],
  [25, 'go, since it is abandoned', 1],
])('objects of a publication that was last continued %i hours ago %s', async (hours, _, gone) => {
  const state = createStateStore(new MemoryDynamoDb())
  const startedAt = now - 6 * 24 * hour
  const runId = newRunId(startedAt)
  const run = newRun({
    runId,
    entity: entityNamed('CL'),
    acceptShrink: false,
    execution: undefined,
    now: startedAt,
  })
  await state.createRun(publishing(run, {} as RunResult, now - hours * hour))
  const page = {
    key: `snapshots/CL/${runId}/a1-p1.ndjson.gz`,
    versionId: 'v',
    isLatest: true,
    writtenAt: startedAt,
  }
  const context = {
    versions: createObjectVersionStore('bucket', client),
    snapshots: createSnapshotStore('bucket', client),
    state,
    now: () => now,
    checkTime: () => undefined,
  }
  expect(await withoutAccepted(context, { entity: 'CL', published: undefined }, [page])).toHaveLength(gone)
})
