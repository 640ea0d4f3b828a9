import { expect, it } from 'vitest'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { api, oneRun, platform, prepareSyncApi } from './routes-testbed.ts'

prepareSyncApi()

it('five callers who accept a refused run at once have one execution, and one event', async () => {
  const { call, callWorker, request, sync, started, events } = api()
  await sync('CL')
  platform.documents.set('CL', makeDocuments(10))
  const { runId } = await sync('CL')
  if (!runId) throw new Error('There is no run.')
  const body = JSON.stringify({ guard: 'snapshot' })
  const accept = () => call('POST /syncs/{entity}/runs/{runId}/accept', { entity: 'CL', runId }, { body })
  const responses = await Promise.all(Array.from({ length: 5 }, accept))
  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(202))
  expect(responses.map(({ body }) => body)).toEqual(Array(5).fill(responses[0]?.body))
  expect(new Set(started.map(({ name }) => name)).size).toBe(1)
  const job = { kind: 'accept', guard: 'snapshot', by: 'ana' } as const
  const before = events.length
  // A program or a person may start a second execution without the API.
  const asked = [1, 2].map(() => request('CL', { job, runId }))
  const ends = await Promise.all(asked.map((one) => callWorker(one)))
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['published', 'waiting'])
  for (const one of asked) expect(await callWorker(one)).toMatchObject({ status: 'published', runId })
  expect(events.slice(before).map(({ type }) => type)).toEqual(['Snapshot Published'])
  expect(await accept()).toMatchObject({ status: 202, body: responses[0]?.body })
  expect((await call(oneRun, { entity: 'CL', runId })).body).toMatchObject({ status: 'published', by: 'ana' })
})
