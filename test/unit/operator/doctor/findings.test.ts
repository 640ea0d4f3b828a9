import { describe, expect, it } from 'vitest'
import {
  check,
  checks,
  ended,
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

it('reports ok for everything in a healthy deployment', () => {
  const findings = findingsIn(healthy)
  expect(findings.map(({ level }) => level)).toEqual(findings.map(() => 'ok'))
  expect(new Set(findings.map(({ about }) => about))).toEqual(
    new Set(['deployment', 'drift', 'credentials', 'upstream', 'schedules', 'entities']),
  )
})

/** A state, and the text and the fix of its only problem. */
const refusedChain = {
  kind: 'refused',
  runId: 's',
  tip: 'r',
  since: hoursAgo(1),
  deleted: 42,
  baseDocuments: 95,
}

const problemStates: readonly [name: string, state: object, text: string, fix: string][] = [
  [
    'stacks that do not exist',
    facts({
      stacks: { value: missing },
      drift: { notDeployed: true },
      credentials: [{ notDeployed: true }],
      schedules: { notDeployed: true },
      entities: { notDeployed: true },
    }),
    'Not deployed in account 111122223333, region eu-west-1: LongshoreStorage, LongshoreSync,',
    'is this the right account and region? If not, set AWS_PROFILE and AWS_REGION. If it is, deploy: npm run deploy',
  ],
  [
    'a missing stack',
    facts({ stacks: { value: [...stacks.slice(0, 3), ...missing.slice(3)] } }),
    'Not deployed in account 111122223333, region eu-west-1: LongshoreMonitoring.',
    'npm run deploy',
  ],
  [
    'a rolled back deployment',
    facts({ stacks: { value: [{ name: 'LongshoreSync', status: 'UPDATE_ROLLBACK_COMPLETE' }] } }),
    'LongshoreSync failed',
    'npm run deploy',
  ],
  [
    'a deployment that differs from the checkout',
    facts({ drift: { value: { LongshoreSync: ['Worker', 'A', 'B', 'C', 'D'] } } }),
    'LongshoreSync (Worker, A, B, C and 1 more)',
    'npm run deploy',
  ],
  [
    'an unreachable platform',
    facts({ upstream: { value: { failure: 'the platform is unreachable (ECONNREFUSED)' } } }),
    'ECONNREFUSED',
    'upstream.baseUrl',
  ],
  [
    'credentials that are not set',
    facts({ credentials: [{ value: { ...secret, state: 'not-set', checks: [] } }] }),
    'not set',
    'npx --no-install longshore credentials set',
  ],
  [
    'one area whose credentials are not set',
    facts({
      credentials: [{ value: { ...secret, areas: ['documents'], state: 'not-set', checks: [] } }],
    }),
    'Credentials for documents are not set',
    'npx --no-install longshore credentials set --area documents',
  ],
  [
    'an unreadable secret',
    facts({
      credentials: [{ value: { ...secret, state: 'unreadable', detail: 'Access denied.', checks: [] } }],
    }),
    'Access denied.',
    'npx --no-install longshore credentials set',
  ],
  [
    'rejected credentials',
    checks(check('logistics', 'rejected')),
    'rejects the credentials',
    'npx --no-install longshore credentials set',
  ],
  [
    'credentials that are rejected for documents',
    checks(check('logistics', 'accepted'), check('documents', 'rejected')),
    'rejects the credentials for documents',
    'npx --no-install longshore credentials set',
  ],
  [
    'an inconclusive check',
    checks(check('documents', 'inconclusive')),
    'Cannot tell',
    'npx --no-install longshore doctor',
  ],
  [
    'a schedule that was deleted',
    facts({ schedules: { value: [{ ...scheduled(), existing: undefined }] } }),
    'CL has no schedule in the account',
    'npx --no-install longshore repair-schedule CL',
  ],
  [
    'a schedule that was changed in the account, and is not what is configured either',
    facts({
      schedules: {
        value: [
          scheduled({
            expression: 'rate(2 hours)',
            enabled: false,
            differences: ['its role is a', 'so is b'],
          }),
        ],
      },
    }),
    'The schedule of CL was changed in the account: its role is a; so is b.',
    'npx --no-install longshore repair-schedule CL',
  ],
  [
    'a schedule that is not deployed',
    facts({ schedules: { value: [scheduled({ entity: 'AD' })] } }),
    'The schedule of CL is configured, but not deployed',
    'npm run deploy',
  ],
  [
    'a paused schedule',
    facts({ schedules: { value: [scheduled({ enabled: false })] } }),
    'The schedule of CL is paused.',
    'npx --no-install longshore resume CL',
  ],
  [
    'a schedule that differs from the configuration',
    facts({ schedules: { value: [scheduled({ expression: 'rate(1 day)' })] } }),
    'is rate(1 day) UTC; the configuration has rate(6 hours) UTC',
    'npm run deploy',
  ],
  [
    'a schedule that starts no runs',
    entities({ runs: [{ ...run, startedAt: hoursAgo(13) }] }),
    'no run has started since 13 h ago',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'an entity that the platform does not have',
    entities({ snapshot: null, runs: [{ ...run, status: 'failed', documents: 0, faults: { 404: 1 } }] }),
    'No snapshot of CL has been published',
    "check the name and 'query' of CL in the configuration and deploy, then run npx --no-install longshore sync CL --watch",
  ],
  [
    'an entity whose query the platform refuses since it was changed',
    entities({ runs: [{ ...run, status: 'failed', documents: 0, faults: { 400: 2, timeout: 1 } }] }),
    'The last run failed',
    "check the name and 'query' of CL in the configuration and deploy, then run npx --no-install longshore sync CL --watch",
  ],
  [
    'an entity whose credentials were rejected, and are accepted by now',
    entities({ runs: [{ ...run, status: 'failed', documents: 0, faults: { 401: 1, 403: 1 } }] }),
    'The last run failed',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a run that was throttled for too long',
    entities({ runs: [{ ...run, status: 'failed', documents: 0, faults: { 429: 9, 408: 1, 503: 1 } }] }),
    'The last run failed',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a run whose cursor was lost',
    entities({ runs: [{ ...run, status: 'failed', documents: 10, faults: { 400: 1 } }] }),
    'The last run failed',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'an entity without documents that was never published',
    entities({ snapshot: null, runs: [{ ...run, status: 'refused', documents: 0 }] }),
    'No snapshot of CL has been published. The last run was refused',
    "check the name and 'query' of CL in the configuration (if it has no documents and this is correct, set 'allowEmpty') and deploy, then run npx --no-install longshore sync CL --watch",
  ],
  [
    'an entity without a snapshot',
    entities({ snapshot: null }),
    'No snapshot of CL has been published',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a stale snapshot',
    entities({ snapshot: { ...latest, publishedAt: hoursAgo(13) } }),
    'too old for rate(6 hours) (limit 12 h)',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a failed run',
    entities(ended('The platform is unreachable.')),
    'The last run failed: The platform is unreachable.',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a run refused because the snapshot shrank',
    entities(ended('60% fewer.', 'refused', 40)),
    'refused: 60% fewer.',
    'npx --no-install longshore review r',
  ],
  [
    'a run refused because the entity is empty',
    entities(ended('CL has no documents.', 'refused', 0)),
    'refused: CL has no documents.',
    'npx --no-install longshore review r',
  ],
  [
    'a change set that was refused',
    facts({ stopped: { value: [{ entity: 'CL', chain: refusedChain }] } }),
    'CL: The change set of run s was refused: it deletes 42 of 95 documents. The change sets stop at run r.',
    'npx --no-install longshore review s',
  ],
  [
    'a table that is not as the published snapshot',
    facts({
      tables: {
        value: [
          { entity: 'CL', table: { kind: 'behind', runId: 's', tableRun: null, since: '', reason: null } },
        ],
      },
    }),
    'CL: Run s is published without its table. There is no table.',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a table to which Lake Formation lets nobody update Glue',
    facts({
      tables: {
        value: [
          {
            entity: 'CL',
            table: { kind: 'unlisted', runId: 's', since: '', reason: 'AccessDeniedException' },
          },
        ],
      },
    }),
    'CL: Glue could not be updated to the table of run s (AccessDeniedException).',
    'TableDatabaseName and all its tables, then run npx --no-install longshore sync CL --watch',
  ],
  [
    'a table to which Glue could not be updated once',
    facts({
      tables: {
        value: [{ entity: 'CL', table: { kind: 'unlisted', runId: 's', since: '', reason: 'TimeoutError' } }],
      },
    }),
    'CL: Glue could not be updated to the table of run s (TimeoutError).',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'an inspection that failed',
    facts({ schedules: { failure: 'AWS denied access' } }),
    'AWS denied access',
    'run the command again',
  ],
  [
    'an inspection that failed for a known reason',
    facts({ drift: { failure: 'Cannot synthesize the CDK app', fix: 'npm run synth' } }),
    'Cannot check the differences from this checkout: Cannot synthesize the CDK app',
    'npm run synth',
  ],
]

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
      text: 'Data of PR is stored, which is not configured: 1 document, published 2 h ago.',
      fix: 'to delete it for good: npx --no-install longshore purge PR',
    },
    {
      level: 'note',
      about: 'entities',
      text: 'Data of QU is stored, which is not configured: no published snapshot.',
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
  const changes = { version: 1, entity: 'CL', runId: 's', added: ['town'], removed: ['city'], retyped: [] }
  const state = facts({ schemaChanges: { value: [changes] } })
  expect(problemsIn(state)).toEqual([])
  expect(findingsIn(state)).toContainEqual({
    level: 'note',
    about: 'entities',
    text: 'CL: The fields of the documents changed with run s: new town; gone city.',
    fix: 'npx --no-install longshore columns CL',
  })
})
