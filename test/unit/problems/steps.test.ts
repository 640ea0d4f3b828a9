import { expect, it } from 'vitest'
import { entityProblems, factsOf, hoursAgo, latest, run, unpublished } from './facts-of.ts'

type Change = Parameters<typeof factsOf>[0]
const unlisted = (reason: string): Change => ({
  table: { kind: 'unlisted', runId: 's', since: hoursAgo(4), reason },
})

it.each<[what: string, change: Change]>([
  [
    'the name or the query of an entity must be corrected',
    { runs: [run('failed', 1, { documents: 0, faults: { 404: 1 } })] },
  ],
  ['an entity has no documents', { runs: [run('refused', 1, { documents: 0 })] }],
  ['Glue may not use the database', unlisted('AccessDeniedException')],
])('a sync comes after something else if %s', (_, change) => {
  expect(entityProblems(factsOf(change)).map(({ step }) => step)).toEqual([
    { kind: 'sync-afterwards', entity: 'CL' },
  ])
})

it.each<[what: string, change: Change]>([
  ['a snapshot is old', { state: { latest: { ...latest, publishedAt: hoursAgo(13) } } }],
  ['an entity has no snapshot', unpublished],
  ['Glue could not store a table', unlisted('InternalServiceException')],
])('a sync is the next step if %s', (_, change) => {
  expect(entityProblems(factsOf(change)).map(({ step }) => step)).toEqual([{ kind: 'sync', entity: 'CL' }])
})
