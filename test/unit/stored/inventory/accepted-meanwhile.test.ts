import type { S3Client } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { withoutAccepted } from '../../../../stored/inventory/accepted-meanwhile.ts'
import { createObjectVersionStore, type ObjectVersion } from '../../../../stored/object-versions.aws.ts'
import { newRun, newRunId, type RunResult } from '../../../../stored/run/run.ts'
import { publishing } from '../../../../stored/run/run-changes.ts'
import { latestKey, refusedKey } from '../../../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../../../stored/sync-state.ts'
import { entityNamed } from '../../../entity-named.ts'
import { MemoryDynamoDb } from '../../../simulation/stores/memory-dynamodb.ts'
import { MemoryS3 } from '../../../simulation/stores/memory-s3.ts'

const hour = 3_600_000
const now = Date.UTC(2031, 0, 20)

/** The object of a run that must go, and what decides whether it does. */
function oldRun() {
  const startedAt = now - 6 * 24 * hour
  const runId = newRunId(startedAt)
  const s3 = new MemoryS3()
  const client = s3 as unknown as S3Client
  const page = {
    key: `snapshots/CL/${runId}/a1-p1.ndjson.gz`,
    versionId: 'v',
    isLatest: true,
    writtenAt: startedAt,
  }
  const context = {
    versions: createObjectVersionStore('bucket', client),
    snapshots: createSnapshotStore('bucket', client),
    state: createStateStore(new MemoryDynamoDb()),
    now: () => now,
    checkTime: () => undefined,
  }
  return { s3, startedAt, runId, page, context }
}

it.each([
  [23, 'stay', 0],
  [25, 'go, since it is abandoned', 1],
])('objects of a publication that was last continued %i hours ago %s', async (hours, _, gone) => {
  const { startedAt, runId, page, context } = oldRun()
  const run = newRun({
    runId,
    entity: entityNamed('CL'),
    acceptShrink: false,
    execution: undefined,
    now: startedAt,
  })
  await context.state.createRun(publishing(run, {} as RunResult, now - hours * hour))
  expect(await withoutAccepted(context, { entity: 'CL', published: undefined }, [page])).toHaveLength(gone)
})

it('objects of a run that has been published since they were found stay', async () => {
  const { runId, page, context, s3 } = oldRun()
  const latest = { runId, manifest: '', publishedAt: '', documents: 1 }
  s3.objects.set(latestKey('CL'), { body: Buffer.from(JSON.stringify(latest)), etag: '"1"' })
  const removal = (published: string | undefined) =>
    withoutAccepted(context, { entity: 'CL', published }, [page])
  expect(await removal(undefined)).toEqual([])
  // Of the published snapshot, only what it does not need was found.
  expect(await removal(runId)).toEqual([page])
})

it('deletes refused.json before it reads the runs, so that a refused run cannot be accepted later', async () => {
  const { runId, page, context } = oldRun()
  const refusal = { ...page, key: refusedKey('CL', runId) }
  const done: string[] = []
  const noted = {
    ...context,
    versions: {
      deleteVersions: async (versions: readonly ObjectVersion[]) =>
        void done.push(...versions.map(({ key }) => key)),
    },
    state: {
      readRuns: async () => {
        done.push('runs')
        return []
      },
    },
  }
  await withoutAccepted(noted, { entity: 'CL', published: undefined }, [page, refusal])
  expect(done).toEqual([refusal.key, 'runs'])
})
