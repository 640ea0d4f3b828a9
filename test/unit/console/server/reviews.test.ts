import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createReviews } from '../../../../console/server/data/reviews.ts'
import { serveAwsJson } from '../../../../local/embedded/aws-json-server.ts'
import { awsEnvironment } from '../../../../local/embedded/environment.ts'
import { failureOf } from '../../../../operator/errors.ts'
import { entityNamed } from '../../../entity-named.ts'

const manifest = (runId: string, uniqueIds: number) => ({
  runId,
  documents: 0,
  uniqueIds,
  idField: 'id',
  pages: [],
})

const emptyBody = gzipSync('')
const emptyObject = { bytes: emptyBody.length, sha256: createHash('sha256').update(emptyBody).digest('hex') }

/** What the comparison refused, and what the set of the tip withholds. */
interface Compared {
  readonly refused?: object
  readonly withheldParts?: readonly object[]
}

/** The reviews of a run that was refused, or published since. */
function reviews(
  status = 'refused',
  latest: object | null = { value: { runId: 'r1', publishedAt: '2026-03-01' } },
  { refused, withheldParts = [] }: Compared = {},
) {
  const stores = {
    snapshots: {
      readRefused: async (_: string, runId: string) => manifest(runId, 2),
      readLatest: async () => latest ?? undefined,
      readManifest: async (_: string, runId: string) => manifest(runId, 5),
    },
    changes: {
      readRefused: async () => refused,
      readManifest: async () => ({ value: { withheldParts } }),
      readLatest: async () => ({ value: { tip: 'r1' } }),
    },
  }
  const syncs = {
    readRun: async (entity: string, runId: string) => ({ entity, runId, status, reason: 'Why.', by: null }),
  }
  const state = { findRun: async (_: string, runId: string) => ({ runId, status, endedAt: '2026-03-02' }) }
  const entities = [entityNamed('CL'), entityNamed('AD')]
  const deployment = {
    kind: 'local',
    now: Date.now,
    stateMachineArn: 'arn:machine',
    configuration: { entities },
  }
  const context = { deployment, syncs, state, ...stores, read: async () => emptyBody }
  return createReviews(context as never)
}

/** The snapshot that the page shows as refused. */
const reviewed = { guard: 'snapshot', refusedAt: null }
const nothing = {
  kind: 'problem',
  message:
    'Run r2 of CL needs no decision: its status is published, and no refused change set of it waits for one.',
  fix: undefined,
}
describe('what a guard refused', () => {
  it('is shown with what publishing it would take away', async () => {
    const review = { before: 0, after: 2, missing: 0, created: 2, months: [], fields: [], sample: [] }
    expect(await reviews().read('CL', 'r2')).toEqual({
      ...review,
      ...reviewed,
      isAcceptableWithChanges: true,
    })
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

  it('is compared again once another snapshot is published', async () => {
    const latest = { value: { runId: 'r1', publishedAt: '2026-03-01' } }
    const refused = reviews('refused', latest)
    const first = await refused.read('CL', 'r3')
    latest.value.runId = 'r2'
    const second = await refused.read('CL', 'r3')
    expect(second.sample).not.toBe(first.sample)
  })

  it('is reviewed again after another comparison of the run, which may have refused other deletes', async () => {
    const part = { key: 'changes/CL/r2/reviewed-1', records: 0, ...emptyObject }
    const refused = { base: 'r1', kind: 'changes', reason: 'Why.', reviewedParts: [part] }
    const published = reviews('published', undefined, { refused })
    const first = await published.read('CL', 'r2')
    expect((await published.read('CL', 'r2')).sample).toBe(first.sample)
    refused.reviewedParts = [{ ...part, key: 'changes/CL/r2/reviewed-2' }]
    expect((await published.read('CL', 'r2')).sample).not.toBe(first.sample)
  })

  it('is reviewed again once an increment has changed what readers have over the same snapshot', async () => {
    const part = { key: 'changes/CL/r1/withheld-1', records: 0, countedAbsences: 0, ...emptyObject }
    const refused = { base: 'r1', kind: 'changes', reason: 'Why.', reviewedParts: [] }
    const withheld = [part]
    const published = reviews('published', undefined, { refused, withheldParts: withheld })
    const first = await published.read('CL', 'r2')
    expect((await published.read('CL', 'r2')).sample).toBe(first.sample)
    withheld.push({ ...part, key: 'changes/CL/r1/withheld-2' })
    expect((await published.read('CL', 'r2')).sample).not.toBe(first.sample)
  })

  it('is shown before the first publication', async () => {
    const first = reviews('refused', null)
    expect(await first.read('CL', 'r2')).toMatchObject({
      before: 0,
      after: 2,
      created: 2,
      isAcceptableWithChanges: false,
    })
  })

  it('is gone once it was published', async () => {
    const published = reviews('published')
    expect(await published.read('CL', 'r2').catch(failureOf)).toEqual(nothing)
    expect(await published.accept('CL', 'r2', { withChanges: false, ...reviewed }).catch(failureOf)).toEqual(
      nothing,
    )
  })

  it('is published only for a request that says whether its change set is, too', async () => {
    expect(await reviews().accept('CL', 'r2', {}).catch(failureOf)).toMatchObject({
      message: 'The body is malformed.',
    })
  })

  it('is not published if something else is refused since it was shown', async () => {
    const shown = { guard: 'changes', refusedAt: '2026-11-20T00:00:00.000Z' }
    expect(
      await reviews()
        .accept('CL', 'r2', { withChanges: false, ...shown })
        .catch(failureOf),
    ).toMatchObject({ message: 'Run r2 of CL was refused again since. Nothing was published.' })
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
    for (const withChanges of [false, true])
      expect(await reviews().accept('CL', 'r2', { withChanges, ...reviewed })).toEqual({ runId: 'r2' })
    const by = userInfo().username
    expect(inputs).toEqual(
      [{}, { withChanges: true }].map((decided) => {
        const accept = { runId: 'r2', guard: 'snapshot', ...decided, by }
        return `arn:machine ${JSON.stringify({ entity: 'CL', accept })}`
      }),
    )
  })
})
