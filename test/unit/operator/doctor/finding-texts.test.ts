import { expect, it } from 'vitest'
import type { LocalFacts } from '../../../../operator/doctor/facts.ts'
import { localFindings } from '../../../../operator/doctor/findings.ts'
import {
  check,
  checks,
  entities,
  facts,
  healthy,
  healthyLines,
  hoursAgo,
  newLines,
  run,
  secret,
  stacks,
} from './healthy-facts.ts'

it('reports each part of a healthy deployment in one line', () => {
  expect(healthyLines()).toEqual([
    'ok | deployment | Deployed: LongshoreStorage, LongshoreSync, LongshoreApi, LongshoreMonitoring.',
    'ok | drift | The deployment matches this checkout.',
    'ok | upstream | The platform at https://shop.example.com is reachable from this machine.',
    'ok | credentials | The platform accepts the credentials for logistics (logistics accepted), documents (documents accepted). Not checked: subscriptions (subscriptions not-checked).',
    'ok | schedules | Scheduled as configured: CL.',
    'ok | entities | CL: 95 documents, published 1 h ago.',
  ])
})

const missing = stacks.map(({ name }) => ({ name, status: undefined }))
const denied = { failure: 'AWS denied access.' }
const again = 'resolve this and run the command again'
const set = 'npx --no-install longshore credentials set'
const sync = 'npx --no-install longshore sync CL --watch'
const allChecks = (...outcomes: string[]) =>
  checks(...outcomes.map((outcome, index) => check(['logistics', 'documents'][index] ?? '', outcome)))

const network = { vpcId: 'vpc-0a1b2c3d', deployedAt: hoursAgo(2) }
const unknownNetwork =
  'note | upstream | No run since the last deployment shows whether the functions reach the platform from vpc-0a1b2c3d.'

it.each<[name: string, state: object, lines: string[]]>([
  [
    'a run has received documents through the network',
    facts({ network }),
    [
      'ok | upstream | The functions reach the platform from vpc-0a1b2c3d: a run of CL, started 1 h ago, received documents.',
    ],
  ],
  [
    'a run receives documents through the network',
    { ...entities({ running: { ...run, status: 'running' }, runs: [{ ...run, documents: 0 }] }), network },
    [
      'ok | upstream | The functions reach the platform from vpc-0a1b2c3d: a run of CL, started 1 h ago, received documents.',
      'ok | entities | CL: 95 documents, published 1 h ago. A run is in progress (running).',
    ],
  ],
  [
    'a run started when the network was deployed',
    facts({ network: { ...network, deployedAt: run.startedAt } }),
    [
      'ok | upstream | The functions reach the platform from vpc-0a1b2c3d: a run of CL, started 1 h ago, received documents.',
    ],
  ],
  [
    'the last run is older than the network',
    facts({ network: { ...network, deployedAt: hoursAgo(0.5) } }),
    [`${unknownNetwork} | ${sync}`],
  ],
  [
    'the run in the network received nothing',
    { ...entities({ runs: [{ ...run, documents: 0 }] }), network },
    [`${unknownNetwork} | ${sync}`],
  ],
  [
    'nothing is synced in the network',
    facts({ network, entities: { value: [] } }),
    [unknownNetwork, 'note | entities | No entity is configured, so nothing is synced.'],
  ],
  [
    'no stack exists and the region is unknown',
    facts({ stacks: { value: missing }, place: { failure: 'Why.' } }),
    [
      'problem | deployment | Not deployed in this region: LongshoreStorage, LongshoreSync, LongshoreApi, LongshoreMonitoring. | is this the right account and region? If not, set AWS_PROFILE and AWS_REGION. If it is, deploy: npm run deploy',
    ],
  ],
  [
    'two of four stacks exist',
    facts({ stacks: { value: [...stacks.slice(0, 2), ...missing.slice(2)] } }),
    [
      'problem | deployment | Not deployed in account 111122223333, region eu-west-1: LongshoreApi, LongshoreMonitoring. | npm run deploy',
      'ok | deployment | Deployed: LongshoreStorage, LongshoreSync.',
    ],
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
    [
      'note | deployment | A deployment of S0 is in progress (UPDATE_IN_PROGRESS).',
      'problem | deployment | The last deployment of S1 failed (UPDATE_FAILED). | npm run deploy',
      'problem | deployment | The last deployment of S3 failed (XUPDATE_COMPLETEX). | npm run deploy',
    ],
  ],
  [
    'several stacks differ',
    facts({ drift: { value: { A: ['1', '2', '3', '4'], B: ['1', '2', '3', '4', '5', '6'] } } }),
    [
      'problem | drift | The deployment differs from this checkout: A (1, 2, 3, 4), B (1, 2, 3, 4 and 2 more). | npm run deploy',
    ],
  ],
  [
    'nothing can be inspected',
    facts({
      stacks: denied,
      drift: denied,
      upstream: denied,
      credentials: [denied],
      schedules: denied,
      entities: denied,
    }),
    [
      ['deployment', 'deployment'],
      ['drift', 'differences from this checkout'],
      ['upstream', 'platform'],
      ['credentials', 'credentials'],
      ['schedules', 'schedules'],
      ['entities', 'entities'],
    ].map(
      ([about, subject]) => `problem | ${about} | Cannot check the ${subject}: AWS denied access. | ${again}`,
    ),
  ],
  [
    'the platform cannot be reached',
    facts({ upstream: { value: { failure: 'host not found' } } }),
    [
      'problem | upstream | Cannot reach the platform at https://shop.example.com from this machine: host not found. | check upstream.baseUrl in the configuration, and the network',
    ],
  ],
  [
    'the credentials of two areas are not set',
    facts({
      credentials: [
        { value: { ...secret, areas: ['logistics', 'documents'], state: 'not-set', checks: [] } },
        { value: { ...secret, state: 'unreadable', detail: 'Why.', checks: [] } },
      ],
    }),
    [
      `problem | credentials | Credentials for logistics, documents are not set. | ${set} --area logistics`,
      `problem | credentials | Cannot use the credentials for logistics, subscriptions, documents: Why. | ${set}`,
    ],
  ],
  [
    'the operator may not read the credentials',
    facts({ credentials: [{ value: { ...secret, state: 'not-read', checks: [] } }] }),
    [
      'note | credentials | Credentials for logistics, subscriptions, documents exist. They were not checked, because you have no permission to read them. Operators can work without this permission.',
    ],
  ],
  [
    'all credentials are accepted',
    allChecks('accepted', 'accepted'),
    [
      'ok | credentials | The platform accepts the credentials for logistics (logistics accepted), documents (documents accepted).',
    ],
  ],
  [
    'nothing was checked',
    allChecks('not-checked', 'not-checked'),
    [
      'note | credentials | Credentials are set. Not checked: logistics (logistics not-checked), documents (documents not-checked).',
    ],
  ],
  [
    'docks are rejected and documents were not checked',
    allChecks('rejected', 'not-checked'),
    [
      `problem | credentials | The platform rejects the credentials for logistics (logistics rejected). | ${set}`,
    ],
  ],
  [
    'docks are rejected and documents are accepted',
    allChecks('rejected', 'accepted'),
    [
      'ok | credentials | The platform accepts the credentials for documents (documents accepted).',
      'note | credentials | The platform rejects the credentials for logistics (logistics rejected).',
    ],
  ],
  [
    'documents are rejected and docks are accepted',
    allChecks('accepted', 'rejected'),
    [
      'ok | credentials | The platform accepts the credentials for logistics (logistics accepted).',
      `problem | credentials | The platform rejects the credentials for documents (documents rejected). | ${set}`,
    ],
  ],
  [
    'a check is inconclusive',
    allChecks('accepted', 'inconclusive'),
    [
      'ok | credentials | The platform accepts the credentials for logistics (logistics accepted).',
      'problem | credentials | Cannot tell whether the credentials are valid: documents (documents inconclusive). | npx --no-install longshore doctor',
    ],
  ],
])('has these lines if %s', (_, state, lines) => expect(newLines(state)).toEqual(lines))

it('inspects what a running npm start has', () => {
  const local = { ...healthy, apiUrl: 'http://127.0.0.1:4510' } as unknown as LocalFacts
  const findings = localFindings(local, {
    longshore: (words) => `npx --no-install longshore --local ${words}`,
  })
  expect(findings.map(({ level, about, text: shown }) => [level, about, shown].join(' | '))).toEqual([
    'ok | deployment | npm start is running at http://127.0.0.1:4510.',
    healthyLines()[2],
    healthyLines()[3],
    'note | schedules | npm start runs no schedules. Start syncs by hand.',
    healthyLines()[5],
  ])
})

it('reports what it cannot inspect of a running npm start', () => {
  const local = { ...healthy, credentials: [denied], entities: denied, stopped: denied }
  const findings = localFindings(local as unknown as LocalFacts, { longshore: String })
  expect(findings.flatMap(({ level, text: shown }) => (level === 'problem' ? [shown] : []))).toEqual([
    'Cannot check the credentials: AWS denied access.',
    'Cannot check the entities: AWS denied access.',
    'Cannot check the entities: AWS denied access.',
  ])
})
