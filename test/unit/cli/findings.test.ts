import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../cli/doctor/facts.ts'
import { findingsOf } from '../../../cli/doctor/findings.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString()

const latest = { runId: 'r', manifest: 'm', publishedAt: hoursAgo(1), documents: 95 }
const run = { runId: 'r', status: 'published', startedAt: hoursAgo(1), documents: 95, reason: null }
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
const trial = (area: string, outcome: string) => ({ area, outcome, detail: `${area} ${outcome}` })
const allAccepted = [
  trial('logistics', 'accepted'),
  trial('subscriptions', 'untried'),
  trial('documents', 'accepted'),
]

const stacks = ['Storage', 'Sync', 'Api', 'Monitoring'].map((name) => ({ name, status: 'CREATE_COMPLETE' }))
const healthy = {
  now,
  baseUrl: 'https://shop.example.com',
  stacks,
  upstream: { known: { status: 401 } },
  changes: { known: {} },
  credentials: [{ known: { ...secret, trials: allAccepted } }],
  schedules: { known: [schedule] },
  entities: { known: [entity] },
}

const look = (change: object) =>
  findingsOf({ ...healthy, ...change } as unknown as Facts, {
    deploy: 'npm run deploy',
    our: (words) => `npx longshore ${words}`,
  })
const problems = (change: object) => look(change).filter(({ level }) => level === 'problem')
const entities = (change: object) => ({ entities: { known: [{ ...entity, ...change }] } })
const keys = (...trials: object[]) => ({ credentials: [{ known: { ...secret, trials } }] })
const failed = (reason: string, status = 'failed', documents = 0) => ({
  runs: [{ ...run, status, reason, documents }],
})

it('all is green where all is well', () => {
  const findings = look({})
  expect(findings.map(({ level }) => level)).toEqual(findings.map(() => 'ok'))
  expect(new Set(findings.map(({ about }) => about))).toEqual(
    new Set(['deployment', 'app', 'credentials', 'upstream', 'schedules', 'entities']),
  )
})

describe('each problem comes with what mends it', () => {
  it.each<[string, object, string, string]>([
    [
      'a stack is missing',
      { stacks: [...stacks.slice(1), { name: 'LongshoreStorage' }] },
      'Not deployed: LongshoreStorage',
      'npm run deploy',
    ],
    [
      'a deployment was rolled back',
      { stacks: [{ name: 'LongshoreSync', status: 'UPDATE_ROLLBACK_COMPLETE' }] },
      'LongshoreSync failed',
      'npm run deploy',
    ],
    [
      'the app has changed',
      { changes: { known: { LongshoreSync: ['Worker', 'A', 'B', 'C', 'D'] } } },
      'LongshoreSync (Worker, A, B, C and 1 more)',
      'npm run deploy',
    ],
    [
      'the platform is away',
      { upstream: { known: { failure: 'it could not be reached (ECONNREFUSED)' } } },
      'ECONNREFUSED',
      'upstream.baseUrl',
    ],
    [
      'no keys are set',
      { credentials: [{ known: { ...secret, state: 'not-set', trials: [] } }] },
      'No keys are set',
      'npx longshore credentials set',
    ],
    [
      'one area has no keys',
      { credentials: [{ known: { ...secret, areas: ['documents'], state: 'not-set', trials: [] } }] },
      'No keys are set for documents',
      'npx longshore credentials set --area documents',
    ],
    [
      'the keys are rejected',
      keys(trial('logistics', 'rejected')),
      'rejects the keys',
      'npx longshore credentials set',
    ],
    [
      'the keys may not read documents',
      keys(trial('logistics', 'accepted'), trial('documents', 'rejected')),
      'rejects the keys for documents',
      'npx longshore credentials set',
    ],
    ['nobody knows', keys(trial('documents', 'unclear')), 'Nobody can tell', 'npx longshore doctor'],
    ['a schedule is missing', { schedules: { known: [] } }, 'CL has no schedule', 'npm run deploy'],
    [
      'a schedule is off',
      { schedules: { known: [{ ...schedule, enabled: false }] } },
      'switched off',
      'npm run deploy',
    ],
    [
      'a schedule is another',
      { schedules: { known: [{ ...schedule, expression: 'rate(1 day)' }] } },
      'is rate(1 day) UTC; the configuration says rate(6 hours) UTC',
      'npm run deploy',
    ],
    [
      'a schedule never fires',
      entities({ runs: [{ ...run, startedAt: hoursAgo(13) }] }),
      'no run has started since 13 h ago',
      'npx longshore sync CL --watch',
    ],
    [
      'nothing is published',
      entities({ snapshot: null }),
      'Nothing of CL has been published',
      'npx longshore sync CL --watch',
    ],
    [
      'a snapshot is too old',
      entities({ snapshot: { ...latest, publishedAt: hoursAgo(13) } }),
      'too old for rate(6 hours) (limit 12 h)',
      'npx longshore sync CL --watch',
    ],
    [
      'the last run failed',
      entities(failed('The platform is away.')),
      'The last run was failed: The platform is away.',
      'npx longshore sync CL --watch',
    ],
    [
      'a snapshot has shrunk',
      entities(failed('60% fewer.', 'refused', 40)),
      'refused: 60% fewer.',
      'npx longshore sync CL --watch --accept-shrink',
    ],
    [
      'something may not be looked at',
      { schedules: { failed: 'AWS refused' } },
      'AWS refused',
      'run this again',
    ],
  ])('%s', (...[, change, text, fix]) => {
    expect(problems(change)).toEqual([
      {
        level: 'problem',
        about: expect.any(String),
        text: expect.stringContaining(text),
        fix: expect.any(String),
      },
    ])
    expect(problems(change)[0]?.fix).toContain(fix)
  })
})

it.each<[string, object]>([
  [
    'docks that nobody may read, beside documents that are read',
    keys(trial('logistics', 'rejected'), trial('documents', 'accepted')),
  ],
  ['keys that cannot be tried', keys(trial('subscriptions', 'untried'))],
  ['a stack that is being deployed', { stacks: [{ name: 'S', status: 'UPDATE_IN_PROGRESS' }] }],
  ['an entity without a schedule that nobody has synced', entities({ enabled: false, snapshot: null })],
  [
    'an old snapshot of one that is synced by hand',
    entities({ enabled: false, snapshot: { ...latest, publishedAt: hoursAgo(999) } }),
  ],
  [
    'a run that is under way for the first time',
    entities({ snapshot: null, running: { status: 'running' } }),
  ],
  [
    'a schedule that is younger than its interval',
    {
      ...entities({ runs: [], snapshot: latest }),
      schedules: { known: [{ ...schedule, changedAt: hoursAgo(2) }] },
    },
  ],
  ['a start that found another run under way', entities({ runs: [{ ...run, status: 'skipped' }, run] })],
])('%s: no problem', (_, change) => {
  expect(problems(change)).toEqual([])
})
