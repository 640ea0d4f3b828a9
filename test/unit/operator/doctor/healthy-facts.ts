import type { StacksTarget } from '../../../../operator/deployment/deployment.ts'
import type { Facts } from '../../../../operator/doctor/facts.ts'
import { findingsOf } from '../../../../operator/doctor/findings.ts'
import { fixesFor } from '../../../../operator/doctor/fixes.ts'

/** A healthy deployment, and changes of it. */
export const now = Date.parse('2026-11-21T12:00:00Z')
export const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString()

export const latest = { runId: 'r', manifest: 'm', publishedAt: hoursAgo(1), documents: 95 }
export const run = {
  entity: 'CL',
  runId: 'r',
  status: 'published',
  startedAt: hoursAgo(1),
  documents: 95,
  faults: {},
  reason: null,
}
export const configured = { name: 'CL', schedule: 'rate(6 hours)', timezone: 'UTC', enabled: true }
export const entity = {
  entity: 'CL',
  schedule: 'rate(6 hours)',
  timezone: 'UTC',
  enabled: true,
  running: null,
  snapshot: latest,
  runs: [run],
}
/** A schedule of the deployed template, and what it is in the account. */
export const scheduled = ({
  entity = 'CL',
  expression = 'rate(6 hours)',
  timezone = 'UTC',
  enabled = true,
  changedAt = hoursAgo(100),
  differences = [] as readonly string[],
  starts = 'full',
} = {}) => ({
  definition: {
    starts,
    entity,
    properties: { ScheduleExpression: expression, ScheduleExpressionTimezone: timezone },
  },
  existing: { enabled, changedAt } as object | undefined,
  differences,
})
export const secret = { areas: ['logistics', 'subscriptions', 'documents'], state: 'set', detail: '' }
export const check = (area: string, outcome: string) => ({ area, outcome, detail: `${area} ${outcome}` })
export const allAccepted = [
  check('logistics', 'accepted'),
  check('subscriptions', 'not-checked'),
  check('documents', 'accepted'),
]

export const stacks = ['Storage', 'Sync', 'Api', 'Monitoring'].map((suffix) => ({
  name: `Longshore${suffix}`,
  status: 'CREATE_COMPLETE',
}))
export const missing = stacks.map(({ name }) => ({ name, status: undefined }))
export const healthy = {
  now,
  place: { value: 'account 111122223333, region eu-west-1' },
  baseUrl: 'https://shop.example.com',
  configured: [configured],
  stacks: { value: stacks },
  upstream: { value: { status: 401 } },
  drift: { value: {} },
  credentials: [{ value: { ...secret, checks: allAccepted } }],
  schedules: { value: [scheduled()] },
  entities: { value: [entity] },
  stopped: { value: [] },
  increments: { value: [] },
  tables: { value: [] },
  schemaChanges: { value: [] },
  orphans: { value: [] },
}

export const defaultTarget = { kind: 'stacks', config: undefined, name: undefined } as const
export const findingsIn = (facts: object, target: StacksTarget = defaultTarget) =>
  findingsOf(facts as Facts, fixesFor(target))
export const problemsIn = (facts: object) => findingsIn(facts).filter(({ level }) => level === 'problem')
export const facts = (change: object) => ({ ...healthy, ...change })
export const entities = (change: object) => facts({ entities: { value: [{ ...entity, ...change }] } })
export const checks = (...list: object[]) => facts({ credentials: [{ value: { ...secret, checks: list } }] })
export const ended = (reason: string, status = 'failed', documents = 0) => ({
  runs: [{ ...run, status, reason, documents }],
})

/** Each finding in one line. */
const linesOf = (state: object) =>
  findingsIn(state).map(({ level, about, text, fix }) =>
    [level, about, text, fix].filter(Boolean).join(' | '),
  )
export const healthyLines = () => linesOf(healthy)

/** The lines that a state adds to those of a healthy deployment. */
export const newLines = (state: object) => {
  const known = healthyLines()
  return linesOf(state).filter((line) => !known.includes(line))
}
