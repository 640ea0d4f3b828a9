import type { EntityFacts } from '../../../../functions/problems/facts.ts'
import type { ReadFacts } from '../../../../functions/problems/read-facts.ts'
import type { StacksTarget } from '../../../../operator/deployment/deployment.ts'
import { inspectionOf } from '../../../../operator/doctor/checks.ts'
import type { DoctorFacts } from '../../../../operator/doctor/facts.ts'
import type { Inspection } from '../../../../operator/doctor/finding.ts'
import { fixesFor } from '../../../../operator/doctor/fixes.ts'
import { type FactsChange, factsOf, hoursAgo, now, run, scheduled } from '../../problems/facts-of.ts'

export const network = { vpcId: 'vpc-0a1b2c3d', deployedAt: hoursAgo(2) }
/** What a look has read of these entities. */
export const look = (...entities: EntityFacts[]) => ({
  value: {
    entities,
    orphans: [],
    alertFailures: [],
    notWoken: [],
    last: { problems: [], announced: [], problemsAt: null, entities: [] },
    unread: [],
    now,
  } satisfies ReadFacts,
})
/** An entity that is as it should be, apart from a change. */
export const entity = (change: FactsChange = {}) =>
  factsOf({ ...scheduled(), runs: [run('published', 1, { documents: 95 })], ...change })

export const secret = {
  areas: ['logistics', 'subscriptions', 'documents'],
  isAll: true,
  state: 'set',
  detail: '',
}
export const check = (area: string, outcome: string) => ({ area, outcome, detail: `${area} ${outcome}` })
const allAccepted = [
  check('logistics', 'accepted'),
  check('subscriptions', 'not-checked'),
  check('documents', 'accepted'),
]

export const stacks = ['Storage', 'Sync', 'Api', 'Monitoring'].map((suffix) => ({
  name: `Longshore${suffix}`,
  status: 'CREATE_COMPLETE',
}))
export const missing = stacks.map(({ name }) => ({ name, status: undefined }))
/** A healthy deployment. */
export const healthy = {
  now,
  place: { value: 'account 111122223333, region eu-west-1' },
  baseUrl: 'https://shop.example.com',
  stacks: { value: stacks },
  upstream: { value: { status: 401 } },
  drift: { value: {} },
  code: { value: [{ name: 'LongshoreSync-Tables', key: 'a.zip', isBuilt: true }] },
  credentials: [{ value: { ...secret, checks: allAccepted } }],
  alerts: [],
  schedules: { value: [] },
  look: look(entity()),
  increments: { value: [] },
  reports: { value: [] },
  encryption: { value: [] },
  keys: { encryptionKeyArn: undefined, previousEncryptionKeyArns: [] },
}

const defaultTarget = { kind: 'stacks', config: undefined, name: undefined } as const
export const inspectionIn = (facts: object, target: StacksTarget = defaultTarget) =>
  inspectionOf(facts as DoctorFacts, fixesFor(target))
export const facts = (change: object) => ({ ...healthy, ...change })
export const checks = (...list: object[]) => facts({ credentials: [{ value: { ...secret, checks: list } }] })

/** Each finding, and each problem, in one line. */
export const linesOf = ({ findings, problems }: Inspection) => [
  ...findings.map(({ level, about, text, fix }) => [level, about, text, fix].filter(Boolean).join(' | ')),
  ...problems.map(({ level, kind, evidence, action, command }) =>
    [level, kind, evidence, action, command].filter(Boolean).join(' | '),
  ),
]
export const healthyLines = () => linesOf(inspectionIn(healthy))

/** The lines that a state adds to those of a healthy deployment. */
export const newLines = (state: object) => {
  const known = healthyLines()
  return linesOf(inspectionIn(state)).filter((line) => !known.includes(line))
}
