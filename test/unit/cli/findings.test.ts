import { describe, expect, it } from 'vitest'
import { fixesFor } from '../../../cli/commands/doctor.ts'
import type { StacksTarget } from '../../../cli/deployment.ts'
import type { Facts } from '../../../cli/doctor/facts.ts'
import { findingsOf } from '../../../cli/doctor/findings.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString()

const latest = { runId: 'r', manifest: 'm', publishedAt: hoursAgo(1), documents: 95 }
const run = { runId: 'r', status: 'published', startedAt: hoursAgo(1), documents: 95, reason: null }
const configured = { name: 'CL', schedule: 'rate(6 hours)', timezone: 'UTC', enabled: true }
const entity = {
  entity: 'CL',
  schedule: 'rate(6 hours)',
  timezone: 'UTC',
  enabled: true,
  running: null,
  snapshot: latest,
  runs: [run],
}
const schedule = {
  entity: 'CL',
  expression: 'rate(6 hours)',
  timezone: 'UTC',
  enabled: true,
  changedAt: hoursAgo(100),
}
const secret = { areas: ['logistics', 'subscriptions', 'documents'], state: 'set', detail: '' }
const check = (area: string, outcome: string) => ({ area, outcome, detail: `${area} ${outcome}` })
const allAccepted = [
  check('logistics', 'accepted'),
  check('subscriptions', 'not-checked'),
  check('documents', 'accepted'),
]

const stacks = ['Storage', 'Sync', 'Api', 'Monitoring'].map((suffix) => ({
  name: `Longshore${suffix}`,
  status: 'CREATE_COMPLETE',
}))
const missing = stacks.map(({ name }) => ({ name, status: undefined }))
const healthy = {
  now,
  place: { value: 'account 111122223333, region eu-west-1' },
  baseUrl: 'https://shop.example.com',
  configured: [configured],
  stacks: { value: stacks },
  upstream: { value: { status: 401 } },
  drift: { value: {} },
  credentials: [{ value: { ...secret, checks: allAccepted } }],
  schedules: { value: [schedule] },
  entities: { value: [entity] },
}

const defaultTarget = { kind: 'stacks', config: undefined, name: undefined } as const
const findingsIn = (facts: object, target: StacksTarget = defaultTarget) =>
  findingsOf(facts as Facts, fixesFor(target))
const problemsIn = (facts: object) => findingsIn(facts).filter(({ level }) => level === 'problem')
const facts = (change: object) => ({ ...healthy, ...change })
const deployed = facts
const entities = (change: object) => deployed({ entities: { value: [{ ...entity, ...change }] } })
const checks = (...list: object[]) => deployed({ credentials: [{ value: { ...secret, checks: list } }] })
const ended = (reason: string, status = 'failed', documents = 0) => ({
  runs: [{ ...run, status, reason, documents }],
})

it('reports ok for everything in a healthy deployment', () => {
  const findings = findingsIn(healthy)
  expect(findings.map(({ level }) => level)).toEqual(findings.map(() => 'ok'))
  expect(new Set(findings.map(({ about }) => about))).toEqual(
    new Set(['deployment', 'drift', 'credentials', 'upstream', 'schedules', 'entities']),
  )
})

/** A state, and the text and the fix of its only problem. */
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
    deployed({ drift: { value: { LongshoreSync: ['Worker', 'A', 'B', 'C', 'D'] } } }),
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
    deployed({ credentials: [{ value: { ...secret, state: 'not-set', checks: [] } }] }),
    'not set',
    'npx longshore credentials set',
  ],
  [
    'one area whose credentials are not set',
    deployed({
      credentials: [{ value: { ...secret, areas: ['documents'], state: 'not-set', checks: [] } }],
    }),
    'Credentials for documents are not set',
    'npx longshore credentials set --area documents',
  ],
  [
    'an unreadable secret',
    deployed({
      credentials: [{ value: { ...secret, state: 'unreadable', detail: 'Access denied.', checks: [] } }],
    }),
    'Access denied.',
    'npx longshore credentials set',
  ],
  [
    'rejected credentials',
    checks(check('logistics', 'rejected')),
    'rejects the credentials',
    'npx longshore credentials set',
  ],
  [
    'credentials that are rejected for documents',
    checks(check('logistics', 'accepted'), check('documents', 'rejected')),
    'rejects the credentials for documents',
    'npx longshore credentials set',
  ],
  [
    'an inconclusive check',
    checks(check('documents', 'inconclusive')),
    'Cannot tell',
    'npx longshore doctor',
  ],
  [
    'a missing schedule',
    deployed({ schedules: { value: [] } }),
    'CL has no schedule',
    'npm run deploy -- --revert-drift',
  ],
  [
    'a paused schedule',
    deployed({ schedules: { value: [{ ...schedule, enabled: false }] } }),
    'The schedule of CL is paused.',
    'npx longshore resume CL',
  ],
  [
    'a schedule that differs from the configuration',
    deployed({ schedules: { value: [{ ...schedule, expression: 'rate(1 day)' }] } }),
    'is rate(1 day) UTC; the configuration has rate(6 hours) UTC',
    'npm run deploy -- --revert-drift',
  ],
  [
    'a schedule that starts no runs',
    entities({ runs: [{ ...run, startedAt: hoursAgo(13) }] }),
    'no run has started since 13 h ago',
    'npx longshore sync CL --watch',
  ],
  [
    'an entity without a snapshot',
    entities({ snapshot: null }),
    'No snapshot of CL has been published',
    'npx longshore sync CL --watch',
  ],
  [
    'a stale snapshot',
    entities({ snapshot: { ...latest, publishedAt: hoursAgo(13) } }),
    'too old for rate(6 hours) (limit 12 h)',
    'npx longshore sync CL --watch',
  ],
  [
    'a failed run',
    entities(ended('The platform is unreachable.')),
    'The last run failed: The platform is unreachable.',
    'npx longshore sync CL --watch',
  ],
  [
    'a run refused because the snapshot shrank',
    entities(ended('60% fewer.', 'refused', 40)),
    'refused: 60% fewer.',
    'npx longshore sync CL --watch --accept-shrink',
  ],
  [
    'a run refused because the entity is empty',
    entities(ended('CL has no documents.', 'refused', 0)),
    'refused: CL has no documents.',
    "set 'allowEmpty' in the configuration, deploy, and run npx longshore sync CL --watch --accept-shrink",
  ],
  [
    'an inspection that failed',
    deployed({ schedules: { failure: 'AWS denied access' } }),
    'AWS denied access',
    'run the command again',
  ],
  [
    'an inspection that failed for a known reason',
    deployed({ drift: { failure: 'Cannot synthesize the CDK app', fix: 'npm run synth' } }),
    'Cannot check the differences from this checkout: Cannot synthesize the CDK app',
    'npm run synth',
  ],
]

describe('a problem has the command that fixes it', () => {
  it.each(problemStates)('for %s', (...[, state, text, fix]) => {
    expect(problemsIn(state)).toEqual([
      {
        level: 'problem',
        about: expect.any(String),
        text: expect.stringContaining(text),
        fix: expect.stringContaining(fix),
      },
    ])
  })
})

it('selects the same deployment in every suggested command', () => {
  const target = { kind: 'stacks', config: 'shop.config.ts', name: 'Shop' } as const
  const fixes = problemStates.flatMap(([, state]) =>
    findingsIn(state, target).flatMap(({ fix }) => fix ?? []),
  )
  const longshore = fixes.filter((fix) => fix.includes('npx longshore'))
  const deployments = fixes.filter((fix) => fix.includes('npm run deploy'))
  expect(longshore.length).toBeGreaterThan(5)
  expect(deployments.length).toBeGreaterThan(5)
  for (const fix of longshore) expect(fix).toMatch(/npx longshore .*--config shop\.config\.ts --name Shop$/)
  for (const fix of deployments) {
    expect(fix).toMatch(/npm run deploy -- -c config=shop\.config\.ts -c name=Shop( --revert-drift)?$/)
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
  const findings = problemsIn(
    deployed({ schedules: { value: [] }, entities: { failure: 'AWS denied access' } }),
  )
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
    deployed({
      entities: { value: [{ ...entity, runs: [] }] },
      schedules: { value: [{ ...schedule, changedAt: hoursAgo(2) }] },
    }),
  ],
  ['a duplicate start was skipped', entities({ runs: [{ ...run, status: 'skipped' }, run] })],
])('reports no problem if %s', (_, state) => {
  expect(problemsIn(state)).toEqual([])
})
