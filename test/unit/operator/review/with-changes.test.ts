import { expect, it } from 'vitest'
import { isAcceptableWithChanges } from '../../../../operator/review/accept.ts'
import type { Guard, Run } from '../../../../stored/run/run.ts'
import { entityNamed } from '../../../entity-named.ts'

type Context = Parameters<typeof isAcceptableWithChanges>[0]

/** Whether a review of the run r2 offers to accept the change set with the snapshot. The chain ends at the run r1. */
function isOffered(guard: Guard, run: object | undefined, { published = 'r1' } = {}): Promise<boolean> {
  const latest = { runId: published, publishedAt: '2026-01-01T00:00:00.000Z' }
  const context = {
    deployment: { configuration: { entities: [entityNamed('CL')] } },
    state: { findRun: async () => run as Run | undefined },
    stores: {
      snapshots: { readLatest: async () => ({ value: latest, etag: '' }) },
      changes: { readLatest: async () => ({ value: { tip: 'r1', sets: [] }, etag: '' }) },
    },
  } as unknown as Context
  return isAcceptableWithChanges(context, { guard, entity: 'CL', runId: 'r2' })
}

const endedAt = '2026-01-02T00:00:00.000Z'

it.each<[string, boolean, Guard, object | undefined, object?]>([
  ['a snapshot compared with that of the chain', true, 'snapshot', { status: 'refused', endedAt }],
  ['a refused change set', false, 'changes', { status: 'refused', endedAt }],
  ['a run that has been published since', false, 'snapshot', { status: 'published', endedAt }],
  ['a run that is being published', false, 'snapshot', { status: 'publishing' }],
  ['a run that is gone', false, 'snapshot', undefined],
  ['a run if another is published', false, 'snapshot', { status: 'refused', endedAt }, { published: 'r0' }],
])('the decision about %s is offered with its change set: %s', async (...[, expected, guard, run, state]) => {
  expect(await isOffered(guard, run, state)).toBe(expected)
})
