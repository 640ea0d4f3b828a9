import { expect, it } from 'vitest'
import { createLookStore } from '../../../functions/problems/look-items.ts'
import { SyncApiTestbed } from './sync-api-testbed.ts'

const found = {
  level: 'problem',
  since: '2026-03-01T05:00:00.000Z',
  evidence: 'Why.',
  action: 'Act.',
} as const

it('shows what the last look found, and when: of all entities and the deployment, or of one entity', async () => {
  const testbed = new SyncApiTestbed()
  const stale = { ...found, kind: 'stale', entity: 'CL' }
  const failed = { ...found, kind: 'run-failed', entity: 'AD' }
  const away = { ...found, kind: 'platform-away' }
  const problemsAt = '2026-03-01T05:45:00.000Z'
  const last = { problems: [], announced: [], problemsAt: null, entities: [] }
  await createLookStore(testbed.dynamodb).writeLook({
    ...last,
    problems: [stale, failed, away].map((problem) => ({ ...problem, id: 'an id of events' })),
    problemsAt,
    last,
  })
  const { body } = await testbed.call('GET /syncs')
  expect(body).toMatchObject({ problemsAt })
  expect((body as { problems: unknown }).problems).toEqual([away, failed, stale])
  const one = await testbed.call('GET /syncs/{entity}', { entity: 'CL' })
  expect(one.body).toMatchObject({ problems: [stale], problemsAt })
})
