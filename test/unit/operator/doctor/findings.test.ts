import { describe, expect, it } from 'vitest'
import {
  check,
  checks,
  entities,
  entity,
  facts,
  findingsIn,
  healthy,
  hoursAgo,
  latest,
  missing,
  problemsIn,
  run,
  scheduled,
  secret,
  stacks,
} from './healthy-facts.ts'
import { problemStates } from './problem-states.ts'

it('reports ok for everything in a healthy deployment', () => {
  const findings = findingsIn(healthy)
  expect(findings.map(({ level }) => level)).toEqual(findings.map(() => 'ok'))
  expect(new Set(findings.map(({ about }) => about))).toEqual(
    new Set(['deployment', 'drift', 'credentials', 'upstream', 'schedules', 'entities']),
  )
})

describe('a problem has the command that fixes it', () => {
  it.each(problemStates)('for %s', (...[, state, text, fix]) => {
    const found = problemsIn(state)
    expect(found.map(({ command: _command, ...finding }) => finding)).toEqual([
      {
        level: 'problem',
        about: expect.stringMatching(/^(deployment|drift|credentials|upstream|schedules|entities)$/),
        text: expect.stringContaining(text),
        fix: expect.stringContaining(fix),
      },
    ])
    for (const finding of found) {
      if (finding.command === undefined) continue
      expect(finding.command).toBe(finding.fix)
      expect(finding.command).toMatch(/^(npx --no-install longshore|npm run deploy)\b/)
    }
  })
})

it('selects the same deployment in every suggested command', () => {
  const target = { kind: 'stacks', config: 'shop.config.ts', name: 'Shop' } as const
  const fixes = problemStates.flatMap(([, state]) =>
    findingsIn(state, target).flatMap(({ fix }) => fix ?? []),
  )
  const longshore = fixes.filter((fix) => fix.includes('npx --no-install longshore'))
  const deployments = fixes.filter((fix) => fix.includes('npm run deploy'))
  expect(longshore.length).toBeGreaterThan(5)
  expect(deployments.length).toBeGreaterThan(5)
  for (const fix of longshore)
    expect(fix).toMatch(/npx --no-install longshore .*--config shop\.config\.ts --name Shop$/)
  for (const fix of deployments) {
    expect(fix).toMatch(/npm run deploy -- -c config=shop\.config\.ts -c name=Shop$/)
  }
})

it('reports what can be inspected although other stacks do not exist', () => {
  const state = facts({
    stacks: { value: [stacks[0], ...missing.slice(1)] },
    schedules: { notDeployed: true },
    entities: { notDeployed: true },
  })
  expect(findingsIn(state).map(({ level, about }) => [level, about])).toEqual([
    ['problem', 'deployment'],
    ['ok', 'deployment'],
    ['ok', 'drift'],
    ['ok', 'upstream'],
    ['ok', 'credentials'],
  ])
})

it('reports a platform that cannot be reached although the stacks cannot be read', () => {
  const state = facts({
    stacks: { failure: 'AWS denied access' },
    upstream: { value: { failure: 'host shop.invalid not found' } },
    drift: { notDeployed: true },
    credentials: [{ notDeployed: true }],
    schedules: { notDeployed: true },
    entities: { notDeployed: true },
  })
  expect(problemsIn(state).map(({ about }) => about)).toEqual(['deployment', 'upstream'])
})

it('reports a missing schedule although the entities cannot be read', () => {
  const findings = problemsIn(facts({ schedules: { value: [] }, entities: { failure: 'AWS denied access' } }))
  expect(findings.map(({ about }) => about)).toEqual(['schedules', 'entities'])
})

it.each<[string, object]>([
  [
    'docks are rejected but documents are accepted',
    checks(check('logistics', 'rejected'), check('documents', 'accepted')),
  ],
  ['the credentials cannot be checked', checks(check('subscriptions', 'not-checked'))],
  [
    'a deployment is in progress',
    facts({ stacks: { value: [{ name: 'S', status: 'UPDATE_IN_PROGRESS' }] } }),
  ],
  ['an entity without a schedule was never synced', entities({ enabled: false, snapshot: null })],
  [
    'the snapshot of an entity without a schedule is old',
    entities({ enabled: false, snapshot: { ...latest, publishedAt: hoursAgo(999) } }),
  ],
  ['the first run is in progress', entities({ snapshot: null, running: { status: 'running' } })],
  [
    'a schedule is younger than its interval',
    facts({
      entities: { value: [{ ...entity, runs: [] }] },
      schedules: { value: [scheduled({ changedAt: hoursAgo(2) })] },
    }),
  ],
  [
    'a run takes longer than the interval of its schedule',
    entities({
      running: { status: 'running' },
      runs: [{ ...run, status: 'running', startedAt: hoursAgo(13) }],
    }),
  ],
  ['a duplicate start was skipped', entities({ runs: [{ ...run, status: 'skipped' }, run] })],
])('reports no problem if %s', (_, state) => {
  expect(problemsIn(state)).toEqual([])
})

it.each([
  ['of the run in progress', { running: { status: 'running', partitionsReason: 'The search failed.' } }],
  ['of the last run', { runs: [{ ...run, partitionsReason: 'The search failed.' }] }],
  [
    'of the last run although a start was skipped after it',
    {
      runs: [
        { ...run, status: 'skipped' },
        { ...run, partitionsReason: 'The search failed.' },
      ],
    },
  ],
])('names the reason why an entity was scrolled without partitions: %s', (_, change) => {
  const findings = findingsIn(entities(change)).filter(({ level }) => level !== 'ok')
  expect(findings).toEqual([
    {
      level: 'note',
      about: 'entities',
      text: 'CL: the last run was scrolled without partitions: The search failed.',
      fix: 'npx --no-install longshore partitions CL',
    },
  ])
})

it('notes credentials that the operator may not read, and suggests no fix', () => {
  const unread = facts({ credentials: [{ value: { ...secret, state: 'not-read', checks: [] } }] })
  const found = findingsIn(unread).filter(({ about }) => about === 'credentials')
  expect(found).toMatchObject([{ level: 'note' }])
})

it('names an entity that is configured and not deployed once, since no sync of it can start', () => {
  const [configured] = healthy.configured
  const undeployed = facts({
    configured: [configured, { ...configured, name: 'PR' }, { ...configured, name: 'QU', enabled: false }],
    entities: {
      value: [
        entity,
        { ...entity, entity: 'PR', snapshot: null },
        { ...entity, entity: 'QU', snapshot: null, enabled: false },
      ],
    },
  })
  expect(problemsIn(undeployed).map(({ text, fix }) => [text, fix])).toEqual([
    ['The schedule of PR is configured, but not deployed.', 'npm run deploy'],
  ])
  expect(findingsIn(undeployed).some(({ text }) => text.startsWith('No snapshot of QU'))).toBe(true)
})

it('names data of entities that are not configured, with the command that deletes it', () => {
  const orphans = {
    value: [
      { entity: 'PR', snapshot: { documents: 1, publishedAt: hoursAgo(2) } },
      { entity: 'QU', snapshot: null },
    ],
  }
  expect(findingsIn(facts({ orphans })).slice(findingsIn(healthy).length)).toEqual([
    {
      level: 'note',
      about: 'entities',
      text: 'PR is not configured, but still has stored data: 1 document, published 2 h ago.',
      fix: 'to delete it for good: npx --no-install longshore purge PR',
    },
    {
      level: 'note',
      about: 'entities',
      text: 'QU is not configured, but still has stored data: no published snapshot.',
      fix: 'to delete it for good: npx --no-install longshore purge QU',
    },
  ])
})

it('notes that it cannot look for data of other entities, unless there is no stack', () => {
  const denied = facts({ orphans: { failure: 'AWS denied access.' } })
  expect(findingsIn(denied).slice(findingsIn(healthy).length)).toEqual([
    {
      level: 'note',
      about: 'entities',
      text: 'Cannot look for data of entities that are not configured: AWS denied access.',
    },
  ])
  expect(findingsIn(facts({ orphans: { notDeployed: true } }))).toEqual(findingsIn(healthy))
})

it('notes how fields changed, which is no problem', () => {
  const changes = {
    version: 1,
    entity: 'CL',
    runId: 's',
    added: ['town'],
    removed: ['city'],
    retyped: [],
    counts: { added: 1, removed: 1, retyped: 0 },
  }
  const state = facts({ schemaChanges: { value: [changes] } })
  expect(problemsIn(state)).toEqual([])
  expect(findingsIn(state)).toContainEqual({
    level: 'note',
    about: 'schema',
    text: 'CL: The fields of the documents changed in run s: added town; removed city.',
    fix: 'npx --no-install longshore columns CL',
    command: 'npx --no-install longshore columns CL',
  })
})
