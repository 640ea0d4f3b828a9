import { describe, expect, it } from 'vitest'
import {
  notStartedError,
  notStartedText,
  questionText,
  startedText,
  waitingForSync,
} from '../../../../cli/sync/missing-snapshots.ts'
import {
  entitiesToSync,
  inProgressError,
  jobOf,
  mayJoin,
  requireCancellable,
  requireConsistent,
  type SyncRequest,
  unreviewedWarning,
} from '../../../../cli/sync/sync-request.ts'
import { CommandError, failureOf } from '../../../../operator/errors.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const plain: SyncRequest = {
  entities: ['CL'],
  watch: false,
  all: false,
  increment: false,
  acceptShrink: false,
  acceptDeletes: false,
}

function outcomeOf(work: () => unknown) {
  try {
    return work() ?? 'fine'
  } catch (error) {
    return failureOf(error)
  }
}

it.each<[change: Partial<SyncRequest>, joined: boolean]>([
  [{}, false],
  [{ watch: true }, true],
  [{ all: true }, true],
  [{ entities: ['CL', 'AD'] }, true],
  [{ watch: true, increment: true }, false],
  [{ watch: true, acceptShrink: true }, false],
  [{ watch: true, acceptDeletes: true }, false],
])('a run in progress is joined only if it will do: %j', (change, joined) => {
  expect(mayJoin({ ...plain, ...change })).toBe(joined)
})

it('a run that prevents another one is named, with the command that ends it', () => {
  expect(failureOf(inProgressError({ runId: 'r', entity: 'CL' }, target))).toEqual({
    kind: 'problem',
    message: 'Run r of CL is in progress.',
    fix: 'wait until it ends, or cancel it: npx --no-install longshore cancel CL --name Shop',
  })
})

it.each<[change: Partial<SyncRequest>, job: object]>([
  [{}, { kind: 'full', acceptShrink: false, acceptDeletes: false }],
  [{ acceptShrink: true }, { kind: 'full', acceptShrink: true, acceptDeletes: false }],
  [{ acceptDeletes: true }, { kind: 'full', acceptShrink: false, acceptDeletes: true }],
  [{ increment: true }, { kind: 'increment' }],
])('the options %j start their job', (change, job) => expect(jobOf({ ...plain, ...change })).toEqual(job))

const requestWith = (change: Partial<SyncRequest>): SyncRequest => ({
  ...plain,
  ...(change.all && { entities: [] }),
  ...change,
})
const alone = {
  kind: 'usage',
  message:
    '--increment needs one entity, and cannot be combined with --all, --accept-shrink or --accept-deletes.',
}
it.each<[change: Partial<SyncRequest>, outcome: unknown]>([
  [{ increment: true, watch: true }, 'fine'],
  [{ increment: true, all: true }, alone],
  [{ increment: true, acceptShrink: true }, alone],
  [{ increment: true, acceptDeletes: true }, alone],
])('an increment is started alone: %j', (change, outcome) => {
  expect(outcomeOf(() => requireConsistent(requestWith(change)))).toEqual(outcome)
})

it.each<[change: Partial<SyncRequest>, flags: string]>([
  [{ acceptShrink: true }, '--accept-shrink'],
  [{ acceptDeletes: true }, '--accept-deletes'],
  [{ acceptShrink: true, acceptDeletes: true }, '--accept-shrink and --accept-deletes'],
])('what nobody has reviewed is named before it is published: %j', (change, flags) => {
  const warning = unreviewedWarning({ ...plain, ...change }, 'longshore review CL')
  expect(warning).toMatch(new RegExp(`^With ${flags}, the run publishes`))
  expect(warning).toMatch(/longshore review CL$/)
})

it('no warning is given about what guards protect', () => {
  expect(unreviewedWarning(plain, 'longshore review CL')).toBeUndefined()
})

const forAll = {
  kind: 'usage',
  message: '--accept-shrink and --accept-deletes need one entity, not several or --all.',
}
it.each<[change: Partial<SyncRequest>, outcome: unknown]>([
  [{ all: true }, 'fine'],
  [{ acceptShrink: true, acceptDeletes: true }, 'fine'],
  [{ all: true, acceptShrink: true }, forAll],
  [{ entities: ['CL', 'AD'], acceptShrink: true }, forAll],
  [{ all: true, acceptDeletes: true }, forAll],
])('guards are overridden for one entity only: %j', (change, outcome) => {
  expect(outcomeOf(() => requireConsistent(requestWith(change)))).toEqual(outcome)
})

it.each([
  [['CL'], false, 'fine'],
  [['CL', 'AD'], false, 'fine'],
  [[], true, 'fine'],
  [[], false, { kind: 'usage', message: 'Missing ENTITY or --all.' }],
  [['CL'], true, { kind: 'usage', message: 'ENTITY cannot be combined with --all.' }],
])('either entities or --all are selected: %j, %j', (entities, all, outcome) => {
  expect(outcomeOf(() => requireConsistent({ ...plain, entities, all }))).toEqual(outcome)
})

describe('the entities to sync', () => {
  const entities = [
    { name: 'CL', enabled: true },
    { name: 'AD', enabled: false },
    { name: 'PR', enabled: true },
  ]
  const configuration = { entities } as never

  it.each([
    [[], true, ['CL', 'PR']],
    [['AD'], false, ['AD']],
    [['AD', 'CL', 'AD'], false, ['AD', 'CL']],
  ])('%j, all: %j, are %j', (named, all, names) => {
    expect(entitiesToSync({ entities: named, all }, configuration)).toEqual(names)
  })

  it('must be configured', () => {
    expect(
      outcomeOf(() => entitiesToSync({ ...plain, entities: ['CL', 'ZZ'] }, configuration)),
    ).toMatchObject({ kind: 'problem' })
  })
})

it.each([
  [{ runId: 'r', hasItem: true }, 'r'],
  [
    { runId: 'r', hasItem: false },
    {
      kind: 'problem',
      message:
        'Increment r of CL is running. Its schedule started it, so it cannot be cancelled; it ends within minutes.',
      fix: 'npx --no-install longshore pause CL --name Shop',
    },
  ],
  [
    null,
    {
      kind: 'problem',
      message: 'No sync of CL is running.',
      fix: 'npx --no-install longshore runs CL --name Shop',
    },
  ],
])('the run to cancel of %j is %j', (running, outcome) => {
  expect(outcomeOf(() => requireCancellable('CL', running, target))).toEqual(outcome)
})

describe('the first syncs', () => {
  const entity = (name: string, change: object = {}) =>
    ({ entity: name, enabled: true, snapshot: null, running: null, runs: [], ...change }) as never

  it('are of scheduled entities without a snapshot that are not running', () => {
    const entities = [
      entity('A'),
      entity('B', { enabled: false }),
      entity('C', { snapshot: {} }),
      entity('D', { running: {} }),
      entity('E'),
    ]
    expect(waitingForSync(entities)).toEqual(['A', 'E'])
  })

  it('are offered, and shown with the command that follows them', () => {
    const names = ['A', 'E']
    expect([questionText(names), startedText(names, target)]).toEqual([
      'Waiting for a sync: A, E. Start their syncs now?',
      'Started syncs: A, E. To see their progress: npx --no-install longshore status --name Shop',
    ])
  })

  it('are left for later by a command that starts no others', () => {
    const names = Array.from({ length: 400 }, (_, index) => `E${index}`)
    const [, args] = notStartedText(names, target).split(' To start the first 221 later:\n  → ')
    expect(args).toMatch(/^npx --no-install longshore sync E0 (E\d+ )+E220 --name Shop$/)
  })

  it.each([
    [new Error('Why.'), 'Error: Why.', 'npx --no-install longshore status --name Shop'],
    [new CommandError('Why.', { fix: 'do it' }), 'Why.', 'do it'],
  ])('may fail after the credentials were stored: %s', (cause, message, fix) => {
    expect(failureOf(notStartedError(cause, target))).toEqual({
      kind: 'problem',
      message: `The credentials are stored, but the first syncs cannot be started: ${message}`,
      fix,
    })
  })
})
