import { expect, test } from 'vitest'
import type { Mail } from '../../../functions/alerts/mail.ts'
import { check } from '../../../functions/look/check.ts'
import { createLookStore } from '../../../functions/problems/look-items.ts'
import type { ProblemEvent } from '../../../stored/events.ts'
import { entityNamed } from '../../entity-named.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'
import { checkContext } from './check-context.ts'

const since = '2026-03-01T00:00:00.000Z'
const publishedAt = '2026-03-01T06:00:00.000Z'

function testbed() {
  const lines: Record<string, unknown>[] = []
  const table = new MemoryDynamoDb()
  const looks = createLookStore(table)
  const events: ProblemEvent[] = []
  const messages: { problems: { event: string; id: string; kind: string }[] }[] = []
  const mails: Mail[] = []
  const state = {
    now: Date.parse(since),
    unread: false,
    unsent: false,
    refusal: '',
    orphans: ['X'],
    unlisted: false,
  }
  const context = checkContext(
    table,
    {
      settings: {
        credentials: {},
        entities: ['A', 'B', 'C'].map((name) =>
          entityNamed(name, { schedule: 'rate(2 hours)', enabled: name !== 'C' }),
        ),
      },
      state: {
        readEntities: async (names) =>
          names.map((name) =>
            name === 'A' ? { latest: { publishedAt, documents: 5, runId: 'r', manifest: 'm' } } : {},
          ),
        readRuns: async () => [],
        readNotWoken: async () => [],
      },
      looks,
      changes: {
        async readLatest() {
          if (state.unread) throw new Error('S3 is away.')
          return { value: { tip: 'r', sets: [] } } as never
        },
        readRefused: async () => undefined,
        readUnpublished: async () => undefined,
        readManifest: async () => undefined,
      },
      snapshots: {
        readLatest: async () => undefined,
        async listFolders() {
          if (state.unlisted) throw new Error('S3 is away.')
          return ['A', ...state.orphans]
        },
      },
      publishEvent: async (event) => {
        if (state.unsent) throw new Error('Denied on arn:aws:events:eu-west-1:1:bus')
        events.push(event)
      },
      log: (level, message, fields = {}) => void lines.push({ level, message, ...fields }),
      now: () => state.now,
      async sleep(ms) {
        state.now += ms
      },
    },
    {
      receivers: [
        { type: 'topic', url: 'arn:aws:sns:eu-west-1:123456789012:alarms', notes: false },
        { type: 'webhook', url: 'hook', notes: true },
      ],
      publish: async (_, mail) => void mails.push(mail),
      post: async (_, body) => {
        messages.push(JSON.parse(body))
        return { status: 200, body: Buffer.from(state.refusal) }
      },
    },
  )
  return { context, table, looks, lines, state, events, messages, mails }
}

test('a look logs each stale snapshot, counts what opened, and stores what it found', async () => {
  const { context, looks, lines, state } = testbed()
  await check(context)
  expect(Object.keys(await looks.readWatched())).toEqual(['A', 'B'])
  expect(lines).toEqual([
    expect.objectContaining({ level: 'INFO', message: 'freshness', entities: 2, ProblemsOpened: 1 }),
  ])
  state.now = Date.parse('2026-03-01T08:00:00Z')
  lines.length = 0
  const found = await check(context)
  expect(lines).toEqual([
    { level: 'WARN', message: 'snapshot stale', entity: 'B', ageSeconds: 8 * 3600, maxAgeSeconds: 4 * 3600 },
    // Nothing more opened, so that the metric has no value.
    { level: 'INFO', message: 'freshness', entities: 2 },
  ])
  expect(found.problems.map(({ kind, entity, since }) => [kind, entity, since])).toEqual([
    // Nothing shows since when, and the first look found both.
    ['no-snapshot', 'B', '2026-03-01T00:00:00.000Z'],
    ['orphaned-data', 'X', '2026-03-01T00:00:00.000Z'],
  ])
  expect(await looks.readWholeLook(['A', 'B', 'C'])).toEqual({
    problems: expect.arrayContaining([...found.problems]),
    announced: expect.arrayContaining([...found.problems]),
    problemsAt: '2026-03-01T08:00:00.000Z',
    entities: ['B', 'X'],
  })
})

test('a look keeps what the last one found of an entity that cannot be read, and fails after the others', async () => {
  const { context, looks, lines, state } = testbed()
  state.now = Date.parse('2026-03-01T12:00:00Z')
  await check(context)
  state.now = Date.parse('2026-03-01T13:00:00Z')
  const failed = {
    kind: 'changes-failed',
    level: 'problem',
    entity: 'A',
    since,
    evidence: 'Full.',
    action: 'Sync.',
    id: 'changes-failed/A',
  } as const
  const last = await looks.readWholeLook(['A', 'B', 'C'])
  await looks.writeLook({ ...last, problems: [...last.problems, failed], problemsAt: since, last })
  state.unread = true
  await expect(check(context)).rejects.toThrow('Not everything could be read.')
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'ERROR', message: 'cannot look for problems', entity: 'A' }),
  )
  const look = await looks.readLook(['A', 'B', 'C'])
  expect(look.problemsAt).toBe('2026-03-01T13:00:00.000Z')
  expect(look.problems).toContainEqual(failed)
  expect(look.problems.filter(({ entity }) => entity === 'B')).toHaveLength(1)
})

test('a look whose events cannot be sent tells everybody else, and a later one sends the events', async () => {
  const { context, state, events, looks, messages, mails } = testbed()
  const told = () => messages.map(({ problems }) => problems.map(({ event, kind }) => `${event} ${kind}`))
  state.unsent = true
  await check(context)
  expect(told()).toEqual([['opened no-snapshot', 'opened orphaned-data']])
  expect(mails.map(({ subject }) => subject)).toEqual(['Shop: B: no-snapshot'])
  expect((await looks.readLook(['A', 'B'])).problemsAt).toBe(since)
  await check(context)
  // Also that they cannot be sent.
  expect(told().slice(1)).toEqual([['opened alert-failed']])
  expect(mails.at(-1)?.text).toContain('the default event bus was not delivered. Denied on [redacted]')
  state.orphans = []
  await check(context)
  expect(told().slice(2)).toEqual([['resolved orphaned-data']])
  state.unsent = false
  await check(context)
  await check(context)
  await check(context)
  expect(events.map(({ type, detail }) => `${type} ${detail.kind}`)).toEqual([
    'Problem Opened no-snapshot',
    'Problem Opened alert-failed',
    'Problem Resolved alert-failed',
  ])
  expect(told().slice(3)).toEqual([['resolved alert-failed']])
})

test('two looks at once, and one after a look that died in the middle, give one problem one id', async () => {
  const { context, looks, state, events, messages } = testbed()
  await Promise.all([check(context), check({ ...context, now: () => state.now + 1 })])
  expect(events.map(({ detail }) => detail.kind)).toEqual(['no-snapshot', 'orphaned-data'])
  state.orphans.push('Y')
  // What the receivers must be told is stored, but not what was found.
  void check({ ...context, looks: { ...looks, writeLook: () => new Promise<never>(() => undefined) } })
  await new Promise(setImmediate)
  state.now += 300_000
  await check(context)
  state.orphans = []
  await check(context)
  const ofEvents = events.map(({ type, detail }) => `${type.split(' ')[1]} ${detail.id}`.toLowerCase())
  const ofAlerts = messages.flatMap(({ problems }) => problems).map(({ event, id }) => `${event} ${id}`)
  expect(ofAlerts.map((one) => one.toLowerCase())).toEqual(ofEvents)
  expect(new Set(ofEvents).size).toBe(ofEvents.length)
  expect(ofEvents.filter((one) => one.includes('/y/'))).toHaveLength(2)
})

test('a look that cannot list what is stored resolves nothing of it', async () => {
  const { context, state, events } = testbed()
  await check(context)
  events.length = 0
  state.unlisted = true
  await expect(check(context)).rejects.toThrow('Not everything could be read.')
  state.unlisted = false
  await check(context)
  expect(events).toEqual([])
})

test('what concerns an entity that was removed is over, and what concerns its data has an item of its own', async () => {
  const { context, looks, state, events } = testbed()
  await check(context)
  state.orphans = ['B']
  events.length = 0
  const settings = { ...context.settings, entities: [entityNamed('A', { schedule: 'rate(2 hours)' })] }
  await check({ ...context, settings })
  expect(events.map(({ type, detail }) => `${type} ${detail.kind} ${detail.entity}`)).toEqual([
    'Problem Resolved no-snapshot B',
    'Problem Resolved orphaned-data X',
    'Problem Opened orphaned-data B',
  ])
  expect((await looks.readLook([])).problems).toEqual([])
  expect((await looks.readWholeLook([])).problems.map(({ entity }) => entity)).toEqual(['B'])
})

test('a receiver that is no longer configured is no problem any more', async () => {
  const { context, state, events } = testbed()
  const refused = () => events.splice(0).filter(({ detail }) => detail.kind === 'alert-failed')
  state.refusal = '{"ok":false}'
  for (let looks = 0; looks < 2; looks++) await check(context)
  expect(refused()).toMatchObject([{ type: 'Problem Opened' }])
  await check({ ...context, alerts: { ...context.alerts, receivers: [] } })
  expect(refused()).toMatchObject([{ type: 'Problem Resolved' }])
})

test('what 1.0.0 stored of an entity that is not configured stays open, and gets an item of its own', async () => {
  const { context, table, looks, state, events } = testbed()
  await check(context)
  const [problem] = (await looks.readWholeLook(['B'])).problems.filter(({ entity }) => entity === 'X')
  await table.write({
    kind: 'put',
    item: { pk: 'freshness', sk: 'problems', version: 2, problems: [problem], at: since },
    condition: {},
  })
  await table.write({ kind: 'remove', key: { pk: 'entity#X', sk: 'problems' }, condition: {} })
  events.length = 0
  state.now += 300_000
  await check(context)
  expect(events).toEqual([])
  expect((await looks.readLook([])).problems).toEqual([])
  expect((await looks.readLook(['X'])).problems).toMatchObject([{ id: problem?.id, since: problem?.since }])
})
