import { expect, it } from 'vitest'
import { localInspection } from '../../../../operator/doctor/checks.ts'
import type { LocalFacts } from '../../../../operator/doctor/facts.ts'
import { hoursAgo, latest, now, run, runIdAt } from '../../problems/facts-of.ts'
import {
  check,
  checks,
  entity,
  facts,
  healthy,
  healthyLines,
  inspectionIn,
  linesOf,
  look,
  missing,
  network,
  newLines,
  secret,
  stacks,
} from './healthy-facts.ts'

it('reports each part of a healthy deployment in one line', () => {
  expect(healthyLines()).toEqual([
    'ok | deployment | Deployed: LongshoreStorage, LongshoreSync, LongshoreApi, LongshoreMonitoring.',
    'ok | drift | The deployment matches this checkout.',
    'ok | code | Each function runs the code that this checkout builds.',
    'ok | upstream | The platform at https://shop.example.com is reachable from this machine.',
    'ok | credentials | The platform accepts the credentials for logistics (logistics accepted), documents (documents accepted). Not checked: subscriptions (subscriptions not-checked).',
    'ok | schedules | Scheduled as configured: CL.',
    'ok | entities | CL: 700 documents, published 5 h ago.',
  ])
})

const denied = { failure: 'AWS denied access.' }
const again = 'resolve this and run the command again'
const store = 'Store valid credentials. | credentials set'
const allChecks = (...outcomes: string[]) =>
  checks(...outcomes.map((outcome, index) => check(['logistics', 'documents'][index] ?? '', outcome)))
const unknownNetwork =
  'note | upstream | No run since the last deployment shows whether the functions reach the platform from vpc-0a1b2c3d.'
const sync = 'npx --no-install longshore sync CL --watch'
const named = (name: string) => entity({ settings: { name } })

it.each<[name: string, state: object, ...lines: string[]]>([
  [
    'a run has received documents through the network',
    facts({ network }),
    'ok | upstream | The functions reach the platform from vpc-0a1b2c3d: a run of CL, started 60 min ago, received documents.',
  ],
  [
    'the last run is older than the network',
    facts({ network: { ...network, deployedAt: hoursAgo(0.5) } }),
    `${unknownNetwork} | ${sync}`,
  ],
  [
    'the run in the network received nothing',
    facts({ network, look: look(entity({ runs: [run('published', 1, { documents: 0 })] })) }),
    `${unknownNetwork} | ${sync}`,
  ],
  [
    'nothing is configured',
    facts({ network, look: look() }),
    unknownNetwork,
    'note | schedules | No entity has a schedule.',
    'note | entities | No entity is configured, so nothing is synced.',
  ],
  [
    'no stack exists and the region is unknown',
    facts({ stacks: { value: missing }, place: { failure: 'Why.' } }),
    'problem | deployment | Not deployed in this region: LongshoreStorage, LongshoreSync, LongshoreApi, LongshoreMonitoring. | Is this the right account and region? If not, set AWS_PROFILE and AWS_REGION. If it is, deploy: npm run deploy',
  ],
  [
    'two of four stacks exist',
    facts({ stacks: { value: [...stacks.slice(0, 2), ...missing.slice(2)] } }),
    'ok | deployment | Deployed: LongshoreStorage, LongshoreSync.',
    'problem | deployment | Not deployed in account 111122223333, region eu-west-1: LongshoreApi, LongshoreMonitoring. | Deploy: npm run deploy',
  ],
  [
    'deployments are in progress, failed, or imported a stack',
    facts({
      stacks: {
        value: ['UPDATE_IN_PROGRESS', 'UPDATE_FAILED', 'IMPORT_COMPLETE', 'XUPDATE_COMPLETEX'].map(
          (status, index) => ({ name: `S${index}`, status }),
        ),
      },
    }),
    'note | deployment | A deployment of S0 is in progress (UPDATE_IN_PROGRESS).',
    'problem | deployment | The last deployment of S1 failed (UPDATE_FAILED). | Deploy again: npm run deploy',
    'problem | deployment | The last deployment of S3 failed (XUPDATE_COMPLETEX). | Deploy again: npm run deploy',
  ],
  [
    'several stacks differ',
    facts({ drift: { value: { A: ['1', '2', '3', '4'], B: ['1', '2', '3', '4', '5', '6'] } } }),
    'problem | drift | The deployment differs from this checkout: A (1, 2, 3, 4), B (1, 2, 3, 4, 5 and 1 more). | Deploy this checkout (npm run deploy), or check out the version that is deployed.',
  ],
  [
    'nothing can be inspected',
    facts({
      stacks: denied,
      drift: { ...denied, fix: 'npm run synth' },
      code: denied,
      upstream: denied,
      credentials: [denied],
      schedules: denied,
      look: denied,
    }),
    ...[
      ['deployment', 'deployment'],
      ['drift', 'differences from this checkout'],
      ['code', 'code of the functions'],
      ['upstream', 'platform'],
      ['credentials', 'credentials'],
      ['schedules', 'schedules'],
      ['entities', 'entities'],
    ].map(
      ([about, subject]) =>
        `unknown | ${about} | Cannot check the ${subject}: AWS denied access. | ${about === 'drift' ? 'npm run synth' : again}`,
    ),
  ],
  [
    'one entity and the data of others cannot be read',
    facts({
      look: {
        value: { ...look(entity()).value, unread: [{ entity: 'CL', failure: 'Why.' }, { failure: 'Why.' }] },
      },
    }),
    `unknown | entities | Cannot look at CL: Why. | ${again}`,
    `unknown | entities | Cannot look for data of entities that are not configured: Why. | ${again}`,
  ],
  [
    'the platform cannot be reached',
    facts({ upstream: { value: { failure: 'host not found' } } }),
    'problem | upstream | Cannot reach the platform at https://shop.example.com from this machine: host not found. | Check upstream.baseUrl in the configuration, and the network.',
  ],
  [
    'the platform responds with 503',
    facts({ upstream: { value: { status: 503 } } }),
    'problem | upstream | The platform at https://shop.example.com responds with 503. | Nothing needs to be done here: wait until it is back.',
  ],
  [
    'the credentials of two areas are not set, and others cannot be used',
    facts({
      credentials: [
        {
          value: { ...secret, areas: ['logistics', 'documents'], isAll: false, state: 'not-set', checks: [] },
        },
        { value: { ...secret, state: 'unreadable', detail: 'Why.', checks: [] } },
      ],
    }),
    `problem | credentials | Credentials for logistics, documents are not set. | ${store} --area logistics`,
    `problem | credentials | Cannot use the credentials for logistics, subscriptions, documents: Why. | ${store}`,
  ],
  [
    'the operator may not read the credentials',
    facts({ credentials: [{ value: { ...secret, state: 'not-read', checks: [] } }] }),
    'note | credentials | Credentials for logistics, subscriptions, documents exist. They were not checked, because you have no permission to read them. Operators can work without this permission.',
  ],
  [
    'the secrets of alerts',
    facts({
      alerts: [
        { value: { name: 'alerts[0] (slack)', state: 'set', detail: '' } },
        { value: { name: 'alerts[1] (teams)', state: 'not-read', detail: '' } },
        { value: { name: 'alerts[2] (webhook)', state: 'missing', detail: '' } },
        { value: { name: 'alerts[3] (slack)', state: 'malformed', detail: 'The address is not a URL.' } },
        { failure: 'Secrets Manager is away.', fix: undefined },
      ],
    }),
    'ok | alerts | The secret of alerts[0] (slack) contains an address.',
    'note | alerts | The secret of alerts[1] (teams) was not checked, because you have no permission to read it.',
    'unknown | alerts | Cannot check the receivers of alerts: Secrets Manager is away. | resolve this and run the command again',
    'problem | alerts | The secret of alerts[2] (webhook) does not exist in this region, so nothing is reported there. | Create it with the address of the receiver, or correct its name in the configuration.',
    'problem | alerts | The secret of alerts[3] (slack) cannot be used, so nothing is reported there: The address is not a URL. | Store the address of the receiver in it.',
  ],
  [
    'all credentials are accepted',
    allChecks('accepted', 'accepted'),
    'ok | credentials | The platform accepts the credentials for logistics (logistics accepted), documents (documents accepted).',
  ],
  [
    'nothing was checked',
    allChecks('not-checked', 'not-checked'),
    'note | credentials | Credentials are set. Not checked: logistics (logistics not-checked), documents (documents not-checked).',
  ],
  [
    'docks are rejected and documents were not checked',
    allChecks('rejected', 'not-checked'),
    `problem | credentials | The platform rejects the credentials for logistics (logistics rejected). | ${store}`,
  ],
  [
    'docks are rejected and documents are accepted',
    allChecks('rejected', 'accepted'),
    'ok | credentials | The platform accepts the credentials for documents (documents accepted).',
    'note | credentials | The platform rejects the credentials for logistics (logistics rejected).',
  ],
  [
    'documents are rejected and docks are accepted',
    allChecks('accepted', 'rejected'),
    'ok | credentials | The platform accepts the credentials for logistics (logistics accepted).',
    `problem | credentials | The platform rejects the credentials for documents (documents rejected). | ${store}`,
  ],
  [
    'a check is inconclusive',
    allChecks('accepted', 'inconclusive'),
    'ok | credentials | The platform accepts the credentials for logistics (logistics accepted).',
    'unknown | credentials | Cannot tell whether the credentials are valid: documents (documents inconclusive). | wait until the platform responds as usual, and run the command again',
  ],
  [
    'the first run is in progress, and another entity is not scheduled',
    facts({
      look: look(
        entity({
          state: {
            latest: undefined as never,
            lease: { runId: runIdAt(1), worker: 'w', until: now, handedOff: false, direct: false },
          },
          runs: [run('running', 1)],
        }),
        entity({ settings: { name: 'AD', enabled: false }, state: { latest: undefined as never } }),
      ),
    }),
    'note | entities | No snapshot of CL has been published. A run is in progress.',
    'note | entities | No snapshot of AD has been published.',
  ],
  [
    'an entity has a problem, which is no longer listed among what is all right',
    facts({ look: look(entity(), entity({ settings: { name: 'AD' }, runs: [run('refused', 1)] })) }),
    'ok | schedules | Scheduled as configured: CL, AD.',
    `problem | run-refused | Run ${runIdAt(1)} of AD was refused: it found 280 documents, 60.0% fewer than the 700 of the snapshot published 2026-11-21 07:00 UTC. | Review which documents are missing. If they were deleted on purpose, accept exactly this snapshot. | review ${runIdAt(1)}`,
  ],
  [
    'increments are recent',
    facts({
      look: look(
        entity({
          settings: { increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 60 } },
          state: {
            latest,
            increments: {
              window: { from: hoursAgo(1), to: hoursAgo(0.1) },
              last: { runId: 'i', status: 'published', reason: null, endedAt: hoursAgo(0.1) },
              records: { [hoursAgo(1).slice(0, 13)]: 3 },
            },
          },
        }),
      ),
    }),
    'ok | entities | CL: the last increment window ended 6 min ago, 3 records in the last day.',
  ],
  [
    'the snapshot is gone that new readers begin with',
    facts({
      increments: {
        value: [
          { entity: 'CL', lostSnapshot: 'q' },
          { entity: 'AD', lostSnapshot: undefined },
        ],
      },
    }),
    'problem | changes-without-snapshot | CL: new readers of its change sets cannot begin, because the snapshot that they would load (run q) is gone. | Sync it: this starts the change sets again. | sync CL --watch',
  ],
  [
    'documents contain half of a surrogate pair',
    facts({
      reports: {
        value: [
          { entity: 'AD', loneSurrogates: 0 },
          { entity: 'CL', loneSurrogates: 1 },
        ],
      },
    }),
    'note | entities | CL: 1 document in the published snapshot contains half of a surrogate pair, such as a text that was cut in the middle of an emoji. DuckDB, pandas and other readers refuse JSON with it. | read it as docs/reading-snapshots.md shows, which also lists these documents, or correct them on the platform',
  ],
  [
    'many entities are as they should be',
    facts({ look: look(...['A', 'B', 'C', 'D', 'E', 'F'].map(named)) }),
    'ok | schedules | Scheduled as configured: A, B, C, D, E, F.',
    'ok | entities | 6 entities (A, B, C, D, E and 1 more) are published and as recent as their schedules require.',
  ],
])('has these lines if %s', (_, state, ...lines) => expect(newLines(state)).toEqual(lines))

it('inspects what a running npm start has', () => {
  const local = { ...healthy, apiUrl: 'http://127.0.0.1:4510' } as unknown as LocalFacts
  expect(linesOf(localInspection(local))).toEqual([
    'ok | deployment | npm start is running at http://127.0.0.1:4510.',
    healthyLines()[3],
    healthyLines()[4],
    'note | schedules | npm start runs the schedules of its configuration as long as it is open.',
    healthyLines()[6],
  ])
})

it('reports what can be inspected although other stacks do not exist', () => {
  const notDeployed = { notDeployed: true }
  const state = facts({
    stacks: { value: [stacks[0], ...missing.slice(1)] },
    schedules: notDeployed,
    look: notDeployed,
    increments: notDeployed,
    reports: notDeployed,
  })
  const { findings, problems } = inspectionIn(state)
  expect(problems.map(({ kind }) => kind)).toEqual(['deployment'])
  const about = ['deployment', 'drift', 'code', 'upstream', 'credentials']
  expect(findings.map((each) => each.about)).toEqual(about)
})
