import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { executionEnd, findWorker, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot, sourceDocuments } from '../snapshot-proof.ts'

const runIdPattern = /^\d{8}T\d{9}Z-[0-9a-f]{12}$/

/** Syncs that are started by hand, in each of the three ways. */
export const syncChecks: Check[] = [
  {
    name: 'a sync started through the state machine publishes every document with an exact proof',
    async run(context) {
      const execution = await executionEnd(context, await startExecution(context, { entity: 'CL' }))
      assert.equal(execution.status, 'SUCCEEDED', execution.cause)
      const { status, runId = '' } = outputOf(execution)
      assert.equal(status, 'published')
      assert.match(runId, runIdPattern)
      const { manifest, latest } = await assertWholeSnapshot(context, 'CL', runId)
      assert.equal(manifest.pages.length, 6)
      assert.equal(manifest.pageSize, 200)
      assert.equal(manifest.attempts, 1)

      const event = await eventually('the event was received', async () =>
        (await context.events()).find(({ detail }) => detail['runId'] === runId),
      )
      assert.deepEqual([event.source, event['detail-type']], ['Longshore', 'Snapshot Published'])
      const { manifest: manifestKey, sha256 } = latest
      const { name: deployment, bucket } = context.deployment
      const detail = { entity: 'CL', runId, documents: 1_050, proof: 'exact', manifest: manifestKey, sha256 }
      assert.deepEqual(event.detail, { ...detail, deployment, bucket })

      const { json: entity } = await context.callApi({ path: '/syncs/CL' })
      assert.deepEqual(entity.snapshot, latest)
      assert.equal(entity.running, null)
      assert.equal(entity.schedule, 'rate(30 days)')
      assert.equal(entity.runs[0].runId, runId)
    },
  },
  {
    name: 'a sync started over HTTPS can be followed, excludes other syncs, and publishes',
    async run(context) {
      const { json: before } = await context.callApi({ path: '/syncs/CL' })
      context.platform.faults.add({
        match: onScroll({ entity: 'CL' }),
        fault: { kind: 'slow', beforeHeadersMs: 700 },
        times: Infinity,
      })
      const started = await context.callApi({ method: 'POST', path: '/syncs/CL' })
      assert.equal(started.status, 202, started.body.toString())
      const { runId, entity, statusUrl } = started.json
      assert.equal(entity, 'CL')
      assert.match(runId, runIdPattern)
      assert.ok(runId > before.snapshot.runId, 'run ids sort by time')
      const { protocol, hostname, pathname } = new URL(statusUrl)
      // Without the port: API Gateway has none, and the emulator does not report its own.
      assert.equal(`${protocol}//${hostname}`, context.deployment.apiUrl.replace(/:\d+$/, ''))
      assert.equal(pathname, `/syncs/CL/runs/${runId}`)

      const atOnce = await context.callApi({ path: pathname })
      assert.equal(atOnce.status, 200)
      assert.equal(atOnce.json.status, 'running')
      const second = await context.callApi({ method: 'POST', path: '/syncs/CL' })
      assert.equal(second.status, 409)
      assert.deepEqual([second.json.type, second.json.runId], ['urn:longshore:problem:sync-running', runId])

      const halfWay = await eventually('some documents are committed', async () => {
        const { json } = await context.callApi({ path: pathname })
        return json.documents > 0 ? json : undefined
      })
      assert.equal(halfWay.total, 1_050)
      await assertSkipped(context, runId)

      const end = await runEnd(context, pathname)
      assert.deepEqual(
        {
          status: end.status,
          documents: end.documents,
          uniqueIds: end.uniqueIds,
          proof: end.proof,
          pages: end.pages,
        },
        { status: 'published', documents: 1_050, uniqueIds: 1_050, proof: 'exact', pages: 6 },
      )
      await assertWholeSnapshot(context, 'CL', runId)
    },
  },
  {
    name: 'the worker publishes when invoked directly, and keeps ids that differ in letter case only',
    async run(context) {
      const { arn } = await findWorker(context)
      const { error, result: response } = await context.account.invoke(arn, { entity: 'By_Hand' })
      const { status, runId } = response as { status: string; runId: string }
      assert.deepEqual({ error, status }, { error: undefined, status: 'published' })
      await assertWholeSnapshot(context, 'By_Hand', runId)
    },
  },
  {
    name: 'the links of a snapshot return each page without a signature of the caller',
    async run(context) {
      const { status, json } = await context.callApi({ path: '/syncs/CL/snapshot' })
      assert.equal(status, 200)
      const pages: string[] = []
      for (const { link, bytes } of json.pages) {
        const response = await fetch(link)
        assert.equal(response.status, 200, link)
        const body = Buffer.from(await response.arrayBuffer())
        assert.equal(body.length, bytes)
        pages.push(gunzipSync(body).toString('latin1'))
      }
      const lines = sourceDocuments(context, 'CL').map((document) => `${document.toString('latin1')}\n`)
      assert.ok(pages.join('') === lines.join(''))

      const link = new URL(json.pages[0].link)
      assert.equal(link.searchParams.get('X-Amz-Expires'), '900')
      const unsigned = await fetch(`${link.origin}${link.pathname}`)
      assert.equal(unsigned.status, 403, 'the bucket refuses requests without a link')
    },
  },
]

/** Starts an execution while a run is in progress, and expects that it ends as skipped. */
async function assertSkipped(context: CheckContext, runningRunId: string): Promise<void> {
  const end = await executionEnd(context, await startExecution(context, { entity: 'CL' }))
  assert.equal(end.status, 'SUCCEEDED', end.cause)
  const { status, runId } = outputOf(end)
  assert.equal(status, 'skipped')
  const { json } = await context.callApi({ path: `/syncs/CL/runs/${runId}` })
  assert.equal(json.status, 'skipped')
  assert.match(json.reason, new RegExp(runningRunId))
}

export function runEnd(context: CheckContext, path: string) {
  return eventually('the run has ended', async () => {
    const { json } = await context.callApi({ path })
    return ['running', 'waiting', 'publishing'].includes(json.status) ? undefined : json
  })
}
