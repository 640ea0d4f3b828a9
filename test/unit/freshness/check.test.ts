import { expect, test } from 'vitest'
import { createOutboxStore } from '../../../functions/alerts/outbox-store.ts'
import { type CheckContext, check } from '../../../functions/freshness/check.ts'
import { createLookStore } from '../../../functions/problems/look-items.ts'
import type { ProblemEvent } from '../../../functions/state/events.ts'
import { entityNamed } from '../../entity-named.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'

const since = '2026-03-01T00:00:00.000Z'
const publishedAt = '2026-03-01T06:00:00.000Z'

function testbed() {
  const lines: Record<string, unknown>[] = []
  const table = new MemoryDynamoDb()
  const looks = createLookStore(table)
  const events: ProblemEvent[] = []
  const messages: { problems: { event: string; id: string }[] }[] = []
  const state = { now: Date.parse(since), unread: false, unsent: false, refusal: '', orphans: ['X'] }
  const context: CheckContext = {
    settings: {
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
    tables: {
      readLatest: async () => undefined,
      readFailure: async () => undefined,
      readSchemaChanges: async () => undefined,
    },
    snapshots: { readLatest: async () => undefined, listEntities: async () => ['A', ...state.orphans] },
    publishEvent: async (event) => {
      if (state.unsent) throw new Error('EventBridge is away.')
      events.push(event)
    },
    alerts: {
      deployment: 'Shop',
      alerts: [{ type: 'webhook', url: 'hook', notes: true }],
      outboxes: createOutboxStore(table),
      readSecret: async () => 'https://receiver.example/hook',
      post: async (_, body) => {
        messages.push(JSON.parse(body))
        return { status: 200, body: Buffer.from(state.refusal) }
      },
      commandLine: 'longshore',
      log: () => undefined,
      now: () => state.now,
    },
    log: (level, message, fields = {}) => void lines.push({ level, message, ...fields }),
    now: () => state.now,
  }
  return { context, looks, lines, state, events, messages }
}

test('a look logs each stale snapshot, counts them in one metric, and stores what it found', async () => {
  const { context, looks, lines, state } = testbed()
  await check(context)
  expect(Object.keys(await looks.readWatched())).toEqual(['A', 'B'])
  expect(lines).toEqual([
    expect.objectContaining({ level: 'INFO', message: 'freshness', entities: 2, StaleSnapshots: 0 }),
  ])
  state.now = Date.parse('2026-03-01T08:00:00Z')
  lines.length = 0
  const found = await check(context)
  expect(lines).toEqual([
    { level: 'WARN', message: 'snapshot stale', entity: 'B', ageSeconds: 8 * 3600, maxAgeSeconds: 4 * 3600 },
    expect.objectContaining({ message: 'freshness', entities: 2, StaleSnapshots: 1 }),
  ])
  expect(found.problems.map(({ kind, entity, since }) => [kind, entity, since])).toEqual([
    // Nothing shows since when, and the first look found both.
    ['no-snapshot', 'B', null],
    ['orphaned-data', 'X', null],
  ])
  expect(await looks.readLook(['A', 'B', 'C'])).toEqual({
    problems: expect.arrayContaining([...found.problems]),
    announced: expect.arrayContaining([...found.problems]),
    problemsAt: '2026-03-01T08:00:00.000Z',
  })
})

test('a look keeps what the last one found of an entity that cannot be read, and fails after the others', async () => {
  const { context, looks, lines, state } = testbed()
  state.now = Date.parse('2026-03-01T12:00:00Z')
  await check(context)
  state.now = Date.parse('2026-03-01T13:00:00Z')
  const stale = {
    kind: 'stale',
    level: 'problem',
    entity: 'A',
    since,
    evidence: 'Old.',
    action: 'Sync.',
    id: 'stale/A',
  } as const
  const last = await looks.readLook(['A', 'B', 'C'])
  await looks.writeLook(['A', 'B', 'C'], {
    ...last,
    problems: [...last.problems, stale],
    problemsAt: since,
    last,
  })
  state.unread = true
  await expect(check(context)).rejects.toThrow('Not everything could be read.')
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'ERROR', message: 'cannot look for problems', entity: 'A' }),
  )
  const look = await looks.readLook(['A', 'B', 'C'])
  expect(look.problemsAt).toBe('2026-03-01T13:00:00.000Z')
  expect(look.problems).toContainEqual(stale)
  expect(look.problems.filter(({ entity }) => entity === 'B')).toHaveLength(1)
})

test('a look publishes which problems opened and which are over, each once, with one id', async () => {
  const { context, state, events, messages } = testbed()
  const named = () =>
    events.map(({ type, detail }) => `${type}: ${detail.level} ${detail.kind} ${detail.entity}`)
  await check(context)
  const openings = [...events]
  expect(named()).toEqual(['Problem Opened: problem no-snapshot B', 'Problem Opened: note orphaned-data X'])
  await check(context)
  expect(events).toHaveLength(2)

  events.length = 0
  state.orphans = []
  await check(context)
  expect(named()).toEqual(['Problem Resolved: note orphaned-data X'])
  expect(events[0]?.detail.id).toBe(openings[1]?.detail.id)

  // Receivers of alerts are told the same, in one message per look.
  const told = [openings.map(({ detail }) => ['opened', detail.id]), [['resolved', openings[1]?.detail.id]]]
  expect(messages.map(({ problems }) => problems.map(({ event, id }) => [event, id]))).toEqual(told)
})

test('a look whose events cannot be sent tells receivers once, and a later one sends the events', async () => {
  const { context, state, events, looks, messages } = testbed()
  const told = () => messages.map(({ problems }) => problems.map(({ event, id }) => `${event} ${id}`))
  state.unsent = true
  await expect(check(context)).rejects.toThrow('EventBridge is away.')
  await expect(check(context)).rejects.toThrow('EventBridge is away.')
  const ids = [`no-snapshot/B/${since}`, `orphaned-data/X/${since}`]
  expect(told()).toEqual([ids.map((id) => `opened ${id}`)])
  expect((await looks.readLook(['A', 'B'])).problemsAt).toBe(since)
  state.orphans = []
  await expect(check(context)).rejects.toThrow('EventBridge is away.')
  expect(told().slice(1)).toEqual([[`resolved ${ids[1]}`]])
  state.unsent = false
  await check(context)
  await check(context)
  expect(events.map(({ type, detail }) => [type, detail.id])).toEqual([['Problem Opened', ids[0]]])
  expect(messages).toHaveLength(2)
})

test('a receiver that refuses messages is a problem, with the reason, until it accepts one', async () => {
  const { context, state, events } = testbed()
  const named = () => events.splice(0).map(({ type, detail }) => [type, detail.kind, detail.evidence])
  state.refusal = '{"ok":false,\n"error":"https://receiver.example/hook"}'
  await check(context)
  named()
  await check(context)
  const evidence =
    'A message to alerts[0] (webhook) was not delivered. The receiver at receiver.example responds with 200: {"ok":false, "error":"[redacted]"}.'
  expect(named()).toEqual([['Problem Opened', 'alert-failed', evidence]])
  state.refusal = ''
  await check(context)
  await check(context)
  await check(context)
  expect(named()).toEqual([['Problem Resolved', 'alert-failed', evidence]])
})

test('with eraseWithinDays, a look counts the entities that have had no complete pass for two days', async () => {
  const { context, lines, state } = testbed()
  const erasing = { ...context, settings: { ...context.settings, eraseWithinDays: 30 } }
  await check(erasing)
  expect(lines.at(-1)).toMatchObject({ message: 'freshness', ErasureIncomplete: 0 })
  state.now += 2 * 24 * 3_600_000 + 1
  const { problems } = await check(erasing)
  expect(lines.at(-1)).toMatchObject({ message: 'freshness', ErasureIncomplete: 4 })
  expect(problems.filter(({ kind }) => kind === 'erasure-incomplete').map(({ entity }) => entity)).toEqual([
    'A',
    'B',
    'C',
    'X',
  ])
})
