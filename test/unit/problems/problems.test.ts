import { expect, it } from 'vitest'
import type { Problem } from '../../../functions/problems/problem.ts'
import { type ProblemKind, problemKinds, problemRows } from '../../../functions/problems/problem-table.ts'
import { grouped, inOrder, problemsOf } from '../../../functions/problems/problems.ts'
import { factsOf, hoursAgo, latest, now, run } from './facts-of.ts'

const problem = (kind: ProblemKind, entity: string, since: string | null = null): Problem => ({
  kind,
  level: 'problem',
  entity,
  since,
  evidence: `About ${entity}.`,
  action: 'Act.',
  command: `own ${entity}`,
})
const many = (kind: ProblemKind, count: number) =>
  Array.from({ length: count }, (_, index) => problem(kind, `E${index}`, `2026-11-2${index}`))

const found = (change: Partial<Parameters<typeof problemsOf>[0]>) =>
  problemsOf({ entities: [], orphans: [], alertFailures: [], notWoken: [], now, ...change })

it('puts problems before notes, the most urgent kind first, and of one kind the oldest', () => {
  const problems = [
    { ...problem('credentials', 'N'), level: 'note' } as const,
    problem('stale', 'A', '2026-11-21'),
    problem('stale', 'B', null),
    problem('stale', 'C', '2026-11-20'),
    problem('run-refused', 'D', '2026-11-22'),
  ]
  expect(inOrder(problems).map(({ entity }) => entity)).toEqual(['D', 'C', 'A', 'B', 'N'])
})

it('shows more than three entities with a common fix as one', () => {
  expect(grouped(many('no-snapshot', 3))).toHaveLength(3)
  expect(grouped(many('no-snapshot', 7))).toEqual([
    {
      kind: 'no-snapshot',
      level: 'problem',
      entities: ['E0', 'E1', 'E2', 'E3', 'E4', 'E5', 'E6'],
      since: '2026-11-20',
      evidence: '7 entities have no snapshot yet: E0, E1, E2, E3, E4 and 2 more.',
      action: 'Start their syncs.',
      command: 'sync E0 E1 E2 E3 E4 E5 E6',
      step: { kind: 'sync-many', entities: ['E0', 'E1', 'E2', 'E3', 'E4', 'E5', 'E6'] },
    },
  ])
})

it('shows of many paused entities who paused each, until when and why', () => {
  const [group] = grouped(many('paused', 4))
  expect(group?.evidence).toBe('4 entities are paused: About E0. About E1. About E2. About E3.')
  const [large] = grouped(many('paused', 400))
  expect(large?.evidence).toHaveLength(1_000)
})

it('starts syncs of exactly the entities that wait, or of the first ones if the command would be too long', () => {
  const [few] = grouped(many('table-failed', 200))
  expect(few).toMatchObject({
    action: 'Sync again: this builds each table again.',
    command: expect.stringMatching(/^sync E0 (E\d+ ){198}E199$/),
  })
  const [all] = grouped(many('table-failed', 400))
  expect(all?.command).toMatch(/^sync E0 (E\d+ )+E220$/)
  expect([all?.command?.length, all?.action]).toEqual([
    999,
    'Sync again: this builds each table again. The command starts the first 221: look again for the other 179.',
  ])
})

it('groups only what concerns an entity', () => {
  const { entity: _, ...ofDeployment } = problem('credentials', 'documents')
  expect(grouped([ofDeployment, ofDeployment, ...many('credentials', 3)])).toHaveLength(5)
  const command = 'credentials set --area documents'
  const rejected = many('credentials', 4).map((one) => ({ ...one, command }))
  const [deployment, entities] = grouped([ofDeployment, ...rejected])
  expect(deployment).toMatchObject({ evidence: 'About documents.', entities: [] })
  expect(entities).toMatchObject({ evidence: expect.stringContaining('4 entities'), command })
})

it.each(['run-refused', 'changes-refused'] as const)('never groups %s: each is a decision', (kind) => {
  expect(grouped(many(kind, 9))).toHaveLength(9)
})

it.each(problemKinds.filter((kind) => 'many' in problemRows[kind]))(
  'says of many entities what %s means',
  (kind) => {
    expect(grouped(many(kind, 4))).toMatchObject([
      { kind, evidence: expect.stringContaining('4 entities'), action: expect.stringMatching(/^[A-Z].*\.$/) },
    ])
  },
)

const away = (hours: number, change: object = {}) =>
  factsOf({
    runs: [run('failed', hours, { cause: 'platform-away', reason: 'It responded with 503.', ...change })],
  })

it('names a platform that is away once, and not at the entities whose last run ended because of it', () => {
  // A repeat fails too, and changes nothing.
  const entities = [{ ...away(2), runs: [...away(1.5).runs, ...away(2).runs] }, away(1), factsOf()]
  expect(found({ entities })).toEqual([
    {
      kind: 'platform-away',
      level: 'note',
      since: hoursAgo(2),
      evidence: 'The platform was away when the last run of CL, CL ended: It responded with 503.',
      action:
        'Do what the reason asks for, or wait: a scheduled run is soon repeated, and the schedules sync again when it is back.',
    },
  ])
})

it('makes a platform that is away a problem once increments are stale', () => {
  const last = { runId: 'i', status: 'failed', cause: 'platform-away', reason: '503.', endedAt: hoursAgo(1) }
  const stale = factsOf({
    runs: away(2).runs,
    settings: { increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 5 } },
    state: { latest, increments: { window: { from: hoursAgo(9), to: hoursAgo(8) }, last } } as never,
  })
  expect(found({ entities: [stale] }).map(({ kind, level }) => [kind, level])).toEqual([
    ['platform-away', 'problem'],
    ['increments-failed', 'note'],
  ])
})

it('names an entity on its own once its snapshot is too old, although the platform is away', () => {
  const old = { ...away(1), state: { latest: { ...latest, publishedAt: hoursAgo(13) } } }
  const problems = found({ entities: [old] })
  // Another sync would fail in the same way.
  expect(problems.flatMap(({ command }) => command ?? [])).toEqual([])
  expect(problems.map(({ kind, level }) => [kind, level])).toEqual([
    ['platform-away', 'problem'],
    ['stale', 'problem'],
  ])
})

it.each([
  ['is not enabled', { settings: { enabled: false } }],
  ['is paused', { state: { latest, pause: { since: hoursAgo(1), by: 'me', reason: 'Sale.', until: null } } }],
])(
  'makes a platform that was away a problem if an entity %s, so that nothing syncs it again',
  (_, change) => {
    const entities = [away(2), factsOf({ runs: away(1).runs, ...change })]
    expect(found({ entities }).filter(({ kind }) => kind === 'platform-away')).toMatchObject([
      {
        kind: 'platform-away',
        level: 'problem',
        since: hoursAgo(2),
        evidence: expect.any(String),
        action: 'When it is back, sync what no schedule starts: CL.',
        command: 'sync CL',
      },
    ])
  },
)

const erasureOf = (name: string, time: string | undefined) => ({
  name,
  isConfigured: false,
  publishedAt: undefined,
  passes: time === undefined ? {} : { erasedAt: time, tablesErasedAt: time },
  begin: hoursAgo(99),
  eraseWithinDays: time === undefined ? undefined : 30,
  now,
})

it('names an entity that is not configured and has had no complete pass of erasure for two days', () => {
  const orphans = [
    { entity: 'PR', snapshot: null, deploy: undefined, erasure: erasureOf('PR', hoursAgo(50)) },
  ]
  expect(found({ orphans })).toMatchObject([
    { kind: 'erasure-incomplete', level: 'problem', entity: 'PR', since: hoursAgo(2) },
    { kind: 'orphaned-data', entity: 'PR' },
  ])
})

it('names data of entities that are not configured, as notes', () => {
  const orphans = [
    {
      entity: 'PR',
      snapshot: { documents: 1, publishedAt: hoursAgo(2) },
      deploy: undefined,
      erasure: erasureOf('PR', undefined),
    },
    { entity: 'QU', snapshot: null, deploy: undefined, erasure: erasureOf('QU', hoursAgo(2)) },
  ]
  expect(found({ orphans })).toMatchObject([
    {
      kind: 'orphaned-data',
      level: 'note',
      entity: 'PR',
      evidence:
        'PR is not configured, but still has stored data: 1 document, published 2026-11-21 10:00 UTC.',
      command: 'purge PR',
    },
    { entity: 'QU', evidence: 'QU is not configured, but still has stored data: no published snapshot.' },
  ])
})

it('does not propose to purge data of an entity that is still deployed, since purge would refuse', () => {
  const orphan = {
    entity: 'PR',
    snapshot: null,
    deploy: 'npm run deploy',
    erasure: erasureOf('PR', undefined),
  }
  expect(found({ orphans: [orphan] })[0]).toEqual({
    kind: 'orphaned-data',
    level: 'note',
    entity: 'PR',
    since: null,
    evidence: 'PR is not configured, but is still deployed and has stored data: no published snapshot.',
    action: 'Deploy: npm run deploy. If its data is no longer needed, delete it afterwards.',
  })
})

it('shortens evidence that repeats a long text of the platform', () => {
  const runs = [run('failed', 1, { reason: 'x'.repeat(5_000) }), run('failed', 2)]
  expect(found({ entities: [factsOf({ runs })] })[0]?.evidence).toHaveLength(1_000)
})
