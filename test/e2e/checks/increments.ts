import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { executionEnd, startExecution } from '../executions.ts'
import { sourceDocuments } from '../snapshot-proof.ts'
import type { EntityName } from '../upstream.ts'

export const incrementChecks: Check[] = [
  {
    name: 'an increment publishes what changed, the next full sync deletes, and a reader has every document',
    run: betweenFullSyncs,
  },
  {
    name: 'the schedule of increments publishes what changed',
    async run(context) {
      await fullSync(context, 'Frequent')
      const reader = await beginReading(context, 'Frequent')
      editDocuments(context, 'Frequent')
      await eventually(
        'a scheduled increment has delivered both documents',
        async () => {
          const sets = await reader.advance()
          assert.ok(sets.every(({ kind }) => kind === 'increment'))
          return reader.hasAll() || undefined
        },
        150,
      )
      // The next one may begin before this one has ended, and is skipped.
      const increments = await eventually('the last increment is published', async () => {
        const { json } = await context.callApi({ path: '/syncs/Frequent' })
        return json.increments.last?.status === 'published' ? json.increments : undefined
      })
      assert.ok(increments.ageSeconds < 600 && increments.recordsLastDay >= 2, JSON.stringify(increments))
    },
  },
]

async function betweenFullSyncs(context: CheckContext): Promise<void> {
  await fullSync(context, 'Changing')
  const reader = await beginReading(context, 'Changing')
  editDocuments(context, 'Changing')
  const run = await increment(context, 'Changing')
  assert.deepEqual([run.status, run.kind, run.increment.records], ['published', 'increment', 2])
  const [set, ...others] = await reader.advance()
  assert.deepEqual([set?.kind, set?.runId, others], ['increment', run.runId, []])
  assert.ok(reader.hasAll(), 'the reader has what changed')
  await eventually('the event of the increment', async () => {
    const events = await context.events()
    return events.find(
      ({ 'detail-type': type, detail }) =>
        type === 'Changes Published' && detail['runId'] === run.runId && detail['kind'] === 'increment',
    )
  })

  // One that no increment has delivered, which would be protected for an hour.
  const [first = Buffer.alloc(0), , ...rest] = sourceDocuments(context, 'Changing')
  context.platform.documents.set('Changing', [first, ...rest])
  const nothing = await increment(context, 'Changing')
  assert.equal(nothing.status, 'published')
  assert.ok(!reader.hasAll(), 'an increment deletes nothing')
  await fullSync(context, 'Changing')
  const [full, ...none] = await reader.advance()
  assert.deepEqual([full?.kind, full?.created, full?.deleted, none], ['changes', 0, 1, []])
  assert.ok(reader.hasAll(), 'the reader has exactly the documents of the platform')
  // A reader that begins after increments gets the same.
  editDocuments(context, 'Changing')
  await increment(context, 'Changing')
  assert.ok((await beginReading(context, 'Changing')).hasAll())
}

async function fullSync(context: CheckContext, entity: EntityName): Promise<void> {
  const end = await executionEnd(context, await startExecution(context, { entity }))
  assert.equal(end.status, 'SUCCEEDED', end.cause)
}

/** Starts an increment over HTTPS and waits until it has ended. */
async function increment({ callApi }: CheckContext, entity: EntityName) {
  const path = `/syncs/${entity}`
  const started = await callApi({ method: 'POST', path, body: '{"increment":true}' })
  assert.equal(started.status, 202, started.body.toString())
  return eventually('the increment has ended', async () => {
    const { json } = await callApi({ path: `${path}/runs/${started.json.runId}` })
    return json.endedAt ? json : undefined
  })
}

/** One document changes and one is new. */
function editDocuments(context: CheckContext, entity: EntityName): void {
  const [first = Buffer.alloc(0), ...rest] = sourceDocuments(context, entity)
  const edited = (document: Buffer, change: object) =>
    Buffer.from(JSON.stringify({ ...JSON.parse(document.toString()), ...change }))
  // The platform's clock has whole seconds: a window ends before what changes in the current one.
  const now = new Date(Date.now() - 2_000).toISOString()
  context.platform.documents.set(entity, [
    edited(first, { updatedIn: now, edit: randomUUID() }),
    ...rest,
    edited(first, { id: randomUUID(), createdIn: now, updatedIn: null }),
  ])
}

interface Link {
  readonly link: string
}
interface ReadSet {
  readonly runId: string
  readonly kind: string
  readonly created?: number
  readonly deleted?: number
  readonly parts: readonly Link[]
}

/** A program that keeps an entity's documents up to date over HTTPS, as docs/change-sets.md describes. */
async function beginReading(context: CheckContext, entity: EntityName) {
  const state = new Map<string, string>()
  const get = async (query: string) => {
    const { status, json, body } = await context.callApi({ path: `/syncs/${entity}/changes${query}` })
    assert.equal(status, 200, body.toString())
    return json
  }
  const apply = async ({ link }: Link) => {
    for (const line of await linesOf(link)) {
      const record = JSON.parse(line) as { op: string; id: string }
      const [, after = ''] = /"after":(.*)\}$/.exec(line) ?? []
      assert.ok(['c', 'u', 'd', 'r'].includes(record.op), line)
      if (record.op === 'd') state.delete(record.id)
      else state.set(record.id, after)
    }
  }
  const begun = await get('')
  for (const { link } of [...begun.snapshot.pages, ...begun.withheldParts] as Link[])
    for (const line of await linesOf(link)) state.set(JSON.parse(line).id, line)
  for (const part of (begun.incrementParts ?? []) as Link[]) await apply(part)
  let position: string = begun.tip
  return {
    /** Applies the sets since the last one, and returns them. */
    async advance(): Promise<readonly ReadSet[]> {
      const { sets } = (await get(`?since=${position}`)) as { sets: readonly ReadSet[] }
      for (const { runId, parts } of sets) {
        for (const part of parts) await apply(part)
        position = runId
      }
      return sets
    },
    /** Whether it has the documents of the platform, byte for byte, and no others. */
    hasAll: () =>
      JSON.stringify([...state.values()].toSorted()) ===
      JSON.stringify(sourceDocuments(context, entity).map(String).toSorted()),
  }
}

async function linesOf(link: string): Promise<string[]> {
  const response = await fetch(link)
  assert.equal(response.status, 200)
  return gunzipSync(Buffer.from(await response.arrayBuffer()))
    .toString()
    .trimEnd()
    .split('\n')
}
