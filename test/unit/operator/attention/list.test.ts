import { expect, it } from 'vitest'
import {
  type AttentionItem,
  type AttentionKind,
  attentionKinds,
  deploymentItems,
} from '../../../../operator/attention/item.ts'
import { attentionList } from '../../../../operator/attention/list.ts'

const item = (kind: AttentionKind, entity: string, since: string | null = null): AttentionItem => ({
  kind,
  entities: [entity],
  since,
  evidence: `About ${entity}.`,
  action: 'Act.',
  command: `own ${entity}`,
  runId: null,
})
const many = (kind: AttentionKind, count: number) =>
  Array.from({ length: count }, (_, index) => item(kind, `E${index}`, `2026-11-2${index}`))
const list = (items: readonly AttentionItem[]) => attentionList(items, (words) => `longshore ${words}`)

it('puts the most urgent first, and of one kind the oldest', () => {
  const items = [
    item('stale', 'A', '2026-11-21'),
    item('stale', 'B', null),
    item('stale', 'C', '2026-11-20'),
    item('run-refused', 'D', '2026-11-22'),
  ]
  expect(list(items).map(({ entities }) => entities[0])).toEqual(['D', 'C', 'A', 'B'])
})

it('makes one item of more than three entities with a common fix', () => {
  expect(list(many('no-snapshot', 3))).toHaveLength(3)
  expect(list(many('no-snapshot', 7).toReversed())).toEqual([
    {
      kind: 'no-snapshot',
      entities: ['E0', 'E1', 'E2', 'E3', 'E4', 'E5', 'E6'],
      since: '2026-11-20',
      evidence: '7 entities have no snapshot yet: E0, E1, E2, E3, E4 and 2 more.',
      action: 'Start a sync of every enabled entity.',
      command: 'longshore sync --all',
      runId: null,
    },
  ])
  expect(list(many('stale', 5))[0]?.evidence).toMatch(
    /^The snapshots of 5 entities .*: E0, E1, E2, E3, E4\.$/,
  )
})

it.each(['run-refused', 'changes-refused'] as const)('never groups %s: each is a decision', (kind) => {
  expect(list(many(kind, 9))).toHaveLength(9)
})

it.each<[AttentionKind, string]>([
  ['credentials-rejected', 'longshore credentials set'],
  ['run-failed', 'longshore doctor'],
  ['stale', 'longshore doctor'],
  ['increments-stale', 'longshore doctor'],
  ['changes-failed', 'longshore sync --all'],
  ['table-failed', 'longshore sync --all'],
  ['glue-failed', 'longshore doctor'],
  ['not-deployed', 'own E0'],
  ['schedule-missing', 'longshore doctor'],
  ['schedule-changed', 'longshore doctor'],
])('of many entities %s has one command: %s', (kind, command) => {
  expect(list(many(kind, 4))).toMatchObject([
    {
      kind,
      command,
      evidence: expect.stringContaining('4 entities'),
      action: expect.stringMatching(/^[A-Z].*\.$/),
    },
  ])
})

it('loses no kind', () => {
  const items = attentionKinds.map((kind) => item(kind, 'CL'))
  expect(list(items.toReversed()).map(({ kind }) => kind)).toEqual(attentionKinds)
})

it('takes from the findings the problems of the deployment that one command resolves', () => {
  const command = 'npm run deploy'
  const finding = { level: 'problem', about: 'drift', text: 'It differs.', fix: command, command } as const
  expect(
    deploymentItems([
      finding,
      { ...finding, level: 'note' },
      { ...finding, about: 'entities' },
      { level: 'problem', about: 'drift', text: 'Cannot check.', fix: 'resolve this' },
    ]),
  ).toEqual([
    {
      kind: 'drift',
      entities: [],
      since: null,
      evidence: 'It differs.',
      action: 'Deploy this checkout, or check out the version that is deployed.',
      command,
      runId: null,
    },
  ])
})

it('takes from the findings how the fields of documents changed', () => {
  const finding = { level: 'note', about: 'schema', text: 'CL: new town.', command: 'columns CL' } as const
  expect(deploymentItems([finding, { ...finding, level: 'problem' }])).toEqual([
    {
      kind: 'schema-changed',
      entities: [],
      since: null,
      evidence: 'CL: new town.',
      action: 'Check whether readers and the configured columns still fit.',
      command: 'columns CL',
      runId: null,
    },
  ])
})

it.each([
  ['credentials', 'Store valid credentials.'],
  ['deployment', 'Deploy again.'],
] as const)('names what resolves a problem of the %s', (about, action) => {
  const problem = { level: 'problem', about, text: 'Why.', fix: 'do it', command: 'do it' } as const
  expect(deploymentItems([problem])).toEqual([
    { kind: about, entities: [], since: null, evidence: 'Why.', action, command: 'do it', runId: null },
  ])
  expect(deploymentItems([{ ...problem, level: 'note' }])).toEqual([])
})
