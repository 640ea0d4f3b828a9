import { userInfo } from 'node:os'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createReviews } from '../../../../console/server/data/reviews.ts'
import { serveAwsJson } from '../../../../local/embedded/aws-json-server.ts'
import { awsEnvironment } from '../../../../local/embedded/environment.ts'
import { failureOf } from '../../../../operator/errors.ts'

const manifest = (runId: string, uniqueIds: number) => ({
  runId,
  documents: 0,
  uniqueIds,
  idField: 'id',
  pages: [],
})

/** The reviews of a run that was refused, or published since. */
function reviews(status = 'refused', latest: object | null = { value: { runId: 'r1' } }) {
  const stores = {
    snapshots: {
      readRefused: async (_: string, runId: string) => manifest(runId, 2),
      readLatest: async () => latest ?? undefined,
      readManifest: async (_: string, runId: string) => manifest(runId, 5),
    },
    changes: { readRefused: async () => undefined },
  }
  const syncs = {
    readRun: async (entity: string, runId: string) => ({ entity, runId, status, reason: 'Why.' }),
  }
  const deployment = { kind: 'local', stateMachineArn: 'arn:machine' }
  const context = { deployment, syncs, stores, read: async () => undefined }
  return createReviews(context as never)
}

const nothing = {
  kind: 'problem',
  message: 'This run needs no decision: what was refused is gone or was published.',
  fix: undefined,
}
describe('what a guard refused', () => {
  it('is shown with what publishing it would take away', async () => {
    const review = { before: 0, after: 2, missing: 0, created: 2, months: [], fields: [], sample: [] }
    expect(await reviews().read('CL', 'r2')).toEqual(review)
  })

  it('is compared once for each pair of snapshots', async () => {
    const refused = reviews()
    const pairs = [
      await refused.read('CL', 'r2'),
      await refused.read('CL', 'r2'),
      await refused.read('CL', 'r3'),
      await refused.read('AD', 'r3'),
    ]
    // What was compared once has the same sample.
    expect(new Set(pairs.map(({ sample }) => sample)).size).toBe(3)
  })

  it('is shown before the first publication', async () => {
    const first = reviews('refused', null)
    expect(await first.read('CL', 'r2')).toMatchObject({ before: 0, after: 2, created: 2 })
  })

  it('is gone once it was published', async () => {
    const published = reviews('published')
    expect(await published.read('CL', 'r2').catch(failureOf)).toEqual(nothing)
    expect(await published.accept('CL', 'r2').catch(failureOf)).toEqual(nothing)
  })

  it('is published by an execution that names who accepted it', async () => {
    const inputs: string[] = []
    const served = await serveAwsJson({
      'AWSStepFunctions.StartExecution': ({ stateMachineArn, input }) => {
        inputs.push(`${stateMachineArn} ${input}`)
        return { executionArn: 'arn:e', startDate: 0 }
      },
      'AWSStepFunctions.DescribeExecution': () => ({ status: 'SUCCEEDED' }),
    })
    for (const [name, value] of Object.entries(awsEnvironment({ stepFunctions: served.endpoint })))
      vi.stubEnv(name, value)
    onTestFinished(async () => {
      vi.unstubAllEnvs()
      await served.close()
    })
    expect(await reviews().accept('CL', 'r2')).toEqual({ runId: 'r2' })
    const by = userInfo().username
    const input = JSON.stringify({ entity: 'CL', accept: { runId: 'r2', guard: 'snapshot', by } })
    expect(inputs).toEqual([`arn:machine ${input}`])
  })
})
