import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { DescribeExecutionCommand } from '@aws-sdk/client-sfn'
import { onScroll } from '../../../../local/stand-in/faults.ts'
import { onPatch } from '../../../stand-in-faults.ts'
import { eventually } from '../../check.ts'
import type { CheckContext } from '../../context.ts'

const dock = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'

export async function readDock({ callApi }: CheckContext): Promise<void> {
  assert.equal((await callApi({ path: dock })).status, 200)
}

function patch({ callApi }: CheckContext, key: string) {
  return callApi({
    method: 'PATCH',
    path: '/api/rns/subscriptions/s1',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: '{"status":"ACTIVE"}',
  })
}

export async function patchOnce(context: CheckContext): Promise<void> {
  const key = randomUUID()
  const responses = [await patch(context, key), await patch(context, key)]
  assert.deepEqual(
    responses.map(({ status, headers }) => [status, headers['idempotency-replayed']]),
    [
      [200, undefined],
      [200, 'true'],
    ],
  )
}

/** An idempotency key whose request had no effect is freed. */
export async function patchAgainAfterNothingWasDone(context: CheckContext): Promise<void> {
  const key = randomUUID()
  const busy = { kind: 'status', status: 429, headers: { 'Retry-After': '120' } } as const
  const rule = context.platform.faults.add({ match: onPatch('s1'), fault: busy, times: Infinity })
  try {
    assert.equal((await patch(context, key)).status, 429)
  } finally {
    rule.remove()
  }
  assert.equal((await patch(context, key)).status, 200)
}

export async function startAndCancel(context: CheckContext): Promise<void> {
  const { callApi, platform, sfn, deployment } = context
  const silent = { kind: 'slow', beforeHeadersMs: 2_000 } as const
  platform.faults.add({ match: onScroll({ entity: 'Granted' }), fault: silent, times: Infinity })
  const started = await callApi({ method: 'POST', path: '/syncs/Granted' })
  assert.equal(started.status, 202, started.body.toString())
  const { runId } = started.json
  assert.equal((await callApi({ path: '/syncs/Granted' })).json.running?.runId, runId)
  // From then on the run has a slot, which is released with it.
  const path = `/syncs/Granted/runs/${runId}`
  await eventually('the run scrolls', async () => (await callApi({ path })).json.pages > 0 || undefined)
  const cancelled = await callApi({ method: 'DELETE', path })
  assert.equal(cancelled.status, 202, cancelled.body.toString())
  const machine = deployment.stateMachineArn.replace(':stateMachine:', ':execution:')
  const { status } = await sfn.send(new DescribeExecutionCommand({ executionArn: `${machine}:${runId}` }))
  assert.equal(status, 'ABORTED')
}

export async function showSnapshot(context: CheckContext): Promise<void> {
  const { status, json } = await context.callApi({ path: '/syncs/Granted/snapshot' })
  assert.equal(status, 200)
  assert.equal((await fetch(json.pages[0].link)).status, 200)
}

export async function showChanges(context: CheckContext): Promise<void> {
  const { status, json } = await context.callApi({ path: '/syncs/Granted/changes' })
  assert.equal(status, 200)
  assert.equal((await fetch(json.snapshot.pages[0].link)).status, 200)
}
