import { expect, it } from 'vitest'
import { createLookStore } from '../../../functions/problems/look-items.ts'
import type { OpenProblem } from '../../../functions/problems/problem-events.ts'
import { itemVersion } from '../../../stored/item-version.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'

it('stores in one item when each schedule was first seen, and nothing before the first look', async () => {
  const dynamodb = new MemoryDynamoDb()
  const store = createLookStore(dynamodb)
  expect(await store.readWatched()).toEqual({})
  const watched = { CL: { schedule: 'rate(1 day) UTC', since: '2026-03-01T00:00:00.000Z' } }
  await store.writeWatched(watched)
  expect(await store.readWatched()).toEqual(watched)
  expect(dynamodb.all()).toEqual([{ pk: 'freshness', sk: 'watched', version: itemVersion, watched }])
})

const problem = (entity: string | undefined, kind = 'stale'): OpenProblem => ({
  kind,
  level: 'problem',
  ...(entity !== undefined && { entity }),
  since: '2026-03-01T00:00:00.000Z',
  evidence: 'Why.',
  action: 'Act.',
  id: `${kind}/${entity}`,
})

it('stores what a look found of each entity in an item of its own, and only what has changed', async () => {
  const dynamodb = new MemoryDynamoDb()
  const store = createLookStore(dynamodb)
  const entities = ['CL', 'AD']
  const last = await store.readWholeLook(entities)
  expect(last).toEqual({ problems: [], announced: [], problemsAt: null, entities: [] })
  const problems = [problem(undefined, 'platform-away'), problem('CL'), problem('PR', 'orphaned-data')]
  await store.writeLook({ problems, announced: problems.slice(0, 1), problemsAt: 'now', last })
  expect(dynamodb.all().map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([
    'entity#CL problems',
    'entity#PR problems',
    'freshness problems',
  ])
  const look = await store.readWholeLook(entities)
  expect(look.problemsAt).toBe('now')
  expect(look.problems).toHaveLength(3)
  // Events about the others could not be sent.
  expect(look.announced).toEqual(problems.slice(0, 1))
  expect((await store.readLook(['AD'])).problems.map(({ entity }) => entity)).toEqual([undefined])
  await store.writeLook({ problems: [], announced: [], problemsAt: 'later', last: look })
  expect(await store.readWholeLook(entities)).toEqual({
    problems: [],
    announced: [],
    problemsAt: 'later',
    entities: [],
  })
})
