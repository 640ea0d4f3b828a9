import { expect, it } from 'vitest'
import {
  configured,
  ended,
  entities,
  entity,
  facts,
  hoursAgo,
  latest,
  newLines,
  run,
  scheduled,
} from './healthy-facts.ts'

const other = { ...configured, name: 'AD' }
const sync = 'npx --no-install longshore sync CL --watch'
const text = 'CL: 95 documents, published 1 h ago.'

it.each<[name: string, state: object, lines: string[]]>([
  [
    'two of three entities are scheduled',
    facts({
      configured: [configured, other, { ...configured, name: 'PR', enabled: false }],
      schedules: { value: [scheduled({ entity: 'AD' }), scheduled()] },
    }),
    ['ok | schedules | Scheduled as configured: CL, AD.'],
  ],
  [
    'the schedule of the second entity is paused, of the third is deployed in another time zone',
    facts({
      configured: [configured, other, { ...configured, name: 'PR' }],
      schedules: {
        value: [
          scheduled(),
          scheduled({ entity: 'AD', enabled: false }),
          scheduled({ entity: 'PR', timezone: 'Europe/Lisbon' }),
        ],
      },
    }),
    [
      'problem | schedules | The schedule of AD is paused. | npx --no-install longshore resume AD',
      'problem | schedules | The schedule of PR is rate(6 hours) Europe/Lisbon; the configuration has rate(6 hours) UTC. | npm run deploy',
    ],
  ],
  [
    'the first run of the second entity is late',
    facts({
      configured: [configured, other],
      schedules: { value: [scheduled(), scheduled({ entity: 'AD' })] },
      entities: { value: [entity, { ...entity, entity: 'AD', runs: [{ ...run, startedAt: hoursAgo(13) }] }] },
    }),
    [
      'problem | schedules | The schedule of AD is rate(6 hours), but no run has started for 13 h. | check the dead-letter queue of the schedules, then run npx --no-install longshore sync AD --watch',
      'ok | entities | AD: 95 documents, published 1 h ago.',
    ],
  ],
  [
    'no entity has a schedule',
    facts({ configured: [{ ...configured, enabled: false }], schedules: { value: [] } }),
    ['note | schedules | No entity has a schedule.'],
  ],
  [
    'no entity is configured',
    facts({ entities: { value: [] } }),
    ['note | entities | No entity is configured, so nothing is synced.'],
  ],
  [
    'a run is in progress',
    entities({ running: { status: 'waiting' }, ...ended('Why.') }),
    [`ok | entities | ${text} A run is in progress (waiting).`],
  ],
  [
    'the first run is in progress',
    entities({ snapshot: null, running: { status: 'running' } }),
    ['note | entities | No snapshot of CL has been published. A run is in progress (running).'],
  ],
  [
    'nothing was published',
    entities({ snapshot: null }),
    [`problem | entities | No snapshot of CL has been published. | ${sync}`],
  ],
  [
    'the first run failed',
    entities({ snapshot: null, ...ended('') }),
    [`problem | entities | No snapshot of CL has been published. The last run failed. | ${sync}`],
  ],
  [
    'a run failed',
    entities(ended('Why.')),
    [`problem | entities | ${text} The last run failed: Why. | ${sync}`],
  ],
  [
    'a smaller snapshot was refused',
    entities(ended('Why.', 'refused', 94)),
    [`problem | entities | ${text} The last run was refused: Why. | npx --no-install longshore review r`],
  ],
  [
    'an empty snapshot was refused',
    entities(ended('Why.', 'refused', 0)),
    [`problem | entities | ${text} The last run was refused: Why. | npx --no-install longshore review r`],
  ],
  [
    'a snapshot of the same size was refused',
    entities(ended('Why.', 'refused', 95)),
    [`problem | entities | ${text} The last run was refused: Why. | npx --no-install longshore review r`],
  ],
  [
    'the snapshot is as old as it may be',
    entities({ snapshot: { ...latest, publishedAt: hoursAgo(12) } }),
    ['ok | entities | CL: 95 documents, published 12 h ago.'],
  ],
  [
    'the snapshot is too old',
    entities({ snapshot: { ...latest, publishedAt: hoursAgo(13) } }),
    [
      `problem | entities | CL: 95 documents, published 13 h ago. This is too old for rate(6 hours) (limit 12 h). | ${sync}`,
    ],
  ],
])('has these lines if %s', (_, state, lines) => expect(newLines(state)).toEqual(lines))

it('has no finding of an entity whose runs are missing, or are as old as they may be', () => {
  const late = scheduled({ changedAt: hoursAgo(12) })
  expect(
    newLines(facts({ schedules: { value: [late] }, entities: { value: [{ ...entity, runs: [] }] } })),
  ).toEqual([])
  const unknown = facts({ configured: [other], schedules: { value: [scheduled({ entity: 'AD' })] } })
  expect(newLines(unknown)).toEqual(['ok | schedules | Scheduled as configured: AD.'])
})
