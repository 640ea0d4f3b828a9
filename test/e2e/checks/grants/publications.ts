import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { onScroll } from '../../../../local/stand-in/faults.ts'
import { changesLatestKey, changesTableKey } from '../../../../stored/changes/change-keys.ts'
import { eventually } from '../../check.ts'
import type { CheckContext } from '../../context.ts'
import type { PublishedEvent } from '../../events.ts'
import { killWorkers } from '../../executions.ts'
import { functionOf } from '../../grants.ts'
import {
  assertWholeSnapshot,
  listKeys,
  readObject,
  removeObject,
  sourceDocuments,
  writeObject,
} from '../../snapshot-proof.ts'

export const expiredPart = 'changes/Granted/20200101T000000000Z-000000000000/records-0.ndjson.gz'

const partList = changesTableKey('Granted')

/** An object of an abandoned attempt, which the next publication deletes. */
export const leftOver = 'snapshots/Granted/20200101T000000000Z-000000000000/1/page.ndjson.gz'

/** A run from its first page to its event by two workers, and the clean-up of older snapshots. */
export async function publish(context: CheckContext): Promise<void> {
  await writeObject(context, leftOver, Buffer.from('left over'))
  const worker = await functionOf(context, 'Worker')
  const execution = { id: randomUUID(), startedAt: Date.now() }
  const event = { task: 'step', input: { entity: 'Granted' }, execution }
  await killDuring(context, context.account.invoke(worker, event))
  // The second worker reads what the first one stored.
  const { error, result: response } = await context.account.invoke(worker, event)
  const { status, runId } = response as { status: string; runId: string }
  assert.deepEqual({ error, status }, { error: undefined, status: 'published' })
  await assertWholeSnapshot(context, 'Granted', runId)
  const isEvent = ({ detail }: { detail: object }) => 'runId' in detail && detail.runId === runId
  await eventually('the event was received', async () => (await context.events()).find(isEvent), 2)
  const objects = await listKeys(context, 'snapshots/Granted/')
  assert.ok(!objects.includes(leftOver), 'the object of an abandoned attempt was deleted')
}

/** Kills the worker at the end of its scroll, before the platform has moved the cursor. */
async function killDuring(context: CheckContext, step: Promise<unknown>): Promise<void> {
  const { promise: isAtTheEnd, resolve: onStrike } = Promise.withResolvers<void>()
  const match = onScroll({ entity: 'Granted', page: 2 })
  context.platform.faults.add({ match, fault: { kind: 'hang', effect: 'before' }, onStrike })
  await Promise.race([isAtTheEnd, step])
  await killWorkers(context)
  await step
}

/** A change set up to its event, the list for Athena and the clean-up of expired sets. */
export async function compare(context: CheckContext): Promise<void> {
  const { account } = context
  const published = await account.invoke(await functionOf(context, 'Worker'), { entity: 'Granted' })
  const { runId } = published.result as { runId: string }
  await writeObject(context, expiredPart, Buffer.from('expired'))
  await removeObject(context, partList)
  const { error, result: response } = await account.invoke(await functionOf(context, 'Compare'), {
    entity: 'Granted',
  })
  const { status } = response as { status: string }
  assert.deepEqual({ error, status }, { error: undefined, status: 'published' })
  const isEvent = (event: PublishedEvent) =>
    event['detail-type'] === 'Changes Published' && event.detail['runId'] === runId
  await eventually('the event was received', async () => (await context.events()).find(isEvent), 2)
  assert.ok(
    !(await listKeys(context, 'changes/Granted/')).includes(expiredPart),
    'the expired part was deleted',
  )
  assert.deepEqual(await listKeys(context, partList), [partList])
}

/** A document changes, and an increment publishes it on top of the last change set. */
export async function publishIncrement(context: CheckContext): Promise<void> {
  const { account, platform } = context
  if ((await listKeys(context, changesLatestKey('Granted'))).length === 0)
    await account.invoke(await functionOf(context, 'Compare'), { entity: 'Granted' })
  const [first = Buffer.alloc(0), ...rest] = sourceDocuments(context, 'Granted')
  // The platform's clock has whole seconds: a window ends before what changes in the current one.
  const edit = { updatedIn: new Date(Date.now() - 2_000).toISOString(), edit: randomUUID() }
  platform.documents.set('Granted', [
    Buffer.from(JSON.stringify({ ...JSON.parse(first.toString()), ...edit })),
    ...rest,
  ])
  const event = { entity: 'Granted', increment: true }
  const { error, result: response } = await account.invoke(await functionOf(context, 'Worker'), event)
  const { status, runId } = response as { status: string; runId: string }
  assert.deepEqual({ error, status }, { error: undefined, status: 'published' })
  const { tip } = JSON.parse((await readObject(context, changesLatestKey('Granted'))).toString())
  assert.equal(tip, runId)
  const isEvent = ({ detail }: { detail: object }) => 'runId' in detail && detail.runId === runId
  await eventually('the event was received', async () => (await context.events()).find(isEvent), 2)
}
