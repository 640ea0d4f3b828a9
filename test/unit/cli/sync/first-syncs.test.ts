import { expect, it } from 'vitest'
import { startFirstSyncs } from '../../../../cli/sync/first-syncs.ts'
import { failureOf, Interrupted } from '../../../../operator/errors.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const missing = ['A', 'B'].map((entity) => ({
  entity,
  enabled: true,
  snapshot: null,
  running: null,
  runs: [],
}))

interface Situation {
  readonly entities?: readonly object[]
  readonly mode?: 'ask' | 'start'
  /** Of the person; without one there is no terminal. */
  readonly answer?: boolean | Error
  readonly failure?: Error
}

/** The result, and what was started. */
async function startIn({ entities = missing, mode = 'ask', answer, failure }: Situation) {
  const jobs: unknown[] = []
  const context = {
    target,
    syncs: {
      list: async () => (failure ? Promise.reject(failure) : { entities }),
      start: async (...started: readonly unknown[]) => jobs.push(started),
    },
    terminal: {
      isInteractive: answer !== undefined,
      confirm: async () => (answer instanceof Error ? Promise.reject(answer) : answer === true),
    },
  }
  const result = startFirstSyncs(context as never, mode).catch((error: unknown) => failureOf(error))
  return { result: await result, jobs }
}

const none = { started: [], text: [] }
const named = {
  started: [],
  text: [
    `Waiting for a sync: A, B. To start them later:
  → npx --no-install longshore sync A B --name Shop`,
  ],
}
const started = {
  started: ['A', 'B'],
  text: ['Started syncs: A, B. To see their progress: npx --no-install longshore status --name Shop'],
}

const ended = (status: string, faults: object = {}) => ({ status, documents: 0, faults })
const withSnapshot = { enabled: true, snapshot: {}, running: null }
const rejected = [
  { ...withSnapshot, entity: 'A', runs: [ended('skipped'), ended('failed', { '401': 1 })] },
  { ...withSnapshot, entity: 'B', runs: [ended('failed', { '403': 1 }), ended('published')] },
  { ...withSnapshot, entity: 'C', runs: [ended('failed', { '503': 8 })] },
  { ...withSnapshot, entity: 'D', runs: [ended('published'), ended('failed', { '401': 1 })] },
]

it.each<[name: string, situation: Situation, result: object]>([
  ['every entity has a snapshot', { entities: [], mode: 'start' }, none],
  ['they are wanted without a prompt', { mode: 'start' }, started],
  ['the platform rejected the credentials of the last run', { entities: rejected, mode: 'start' }, started],
  ['a person agrees', { answer: true }, started],
  ['a person declines', { answer: false }, named],
  ['there is no terminal to ask at', {}, named],
  [
    'a person declines those of many entities',
    { entities: ['A', 'B', 'C', 'D'].map((entity) => ({ ...missing[0], entity })), answer: false },
    {
      started: [],
      text: [
        'Waiting for a sync: A, B, C, D. To start them later:\n  → npx --no-install longshore sync A B C D --name Shop',
      ],
    },
  ],
  [
    'a person interrupts',
    { answer: new Interrupted('Interrupted.') },
    { kind: 'interrupted', message: 'Interrupted.' },
  ],
  [
    'they cannot be listed',
    { failure: new Error('Why.') },
    expect.objectContaining({
      message: 'The credentials are stored, but the first syncs cannot be started: Error: Why.',
    }),
  ],
])('the first syncs are started, named or not if %s', async (_, situation, expected) => {
  const { result, jobs } = await startIn(situation)
  expect(result).toEqual(expected)
  const full = { kind: 'full' }
  expect(jobs).toEqual(expected === started ? ['A', 'B'].map((entity) => [entity, full]) : [])
})
