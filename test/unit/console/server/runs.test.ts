import { describe, expect, it } from 'vitest'
import { listRuns, readRun } from '../../../../console/server/data/runs.ts'
import { newIncrement, unpublished } from '../../../../stored/run/increment-run.ts'
import { newRun, type Run } from '../../../../stored/run/run.ts'
import { entityNamed } from '../../../entity-named.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const idOf = (index: number) => `20261121T12000${index % 10}000Z-${String(index).padStart(12, '0')}`
const runOf = (index: number, change: object = {}) =>
  ({
    ...newRun({
      runId: idOf(index),
      entity: entityNamed('CL'),
      acceptShrink: false,
      execution: 'arn:aws:states:eu-west-1:1:execution:sync:a',
      now,
    }),
    ...change,
  }) as Run

interface Chain {
  readonly set?: object | undefined
  readonly refused?: object
  readonly tip?: string
}

function context(count: number, change: object = {}, { set, refused, tip }: Chain = {}) {
  const asked: unknown[] = []
  const run = runOf(1, { requests: 12, receivedBytes: 3_000, ...change })
  return {
    asked,
    context: {
      deployment: { configuration: { entities: [entityNamed('CL')] }, now: () => now },
      syncs: { readRun: async (_: string, runId: string) => ({ ...run, runId, from: 'pages' }) },
      state: {
        findRun: async () => (count === 0 ? undefined : run),
        lastPosition: async () => undefined,
        listRuns: async (...args: unknown[]) => {
          asked.push(args)
          return Array.from({ length: count }, (_, index) => runOf(index, change))
        },
      },
      snapshots: { readRefused: async () => ({ proof: 'exact', uniqueIds: 40, reportedTotal: 40 }) },
      changes: {
        async readManifest(...args: unknown[]) {
          asked.push(args)
          return set && { value: set }
        },
        readRefused: async () => refused,
        readLatest: async () => tip && { value: { tip } },
      },
      command: (words: string) => `npx --no-install longshore ${words}`,
    } as unknown as Parameters<typeof listRuns>[0],
  }
}

describe('the runs of an entity', () => {
  it.each([
    [0, null],
    [99, null],
    [100, idOf(99)],
  ])('of which %i were found continue after %j', async (count, next) => {
    const { context: at, asked } = context(count)
    const page = await listRuns(at, 'CL', idOf(5))
    expect([page.runs.length, page.next]).toEqual([count, next])
    expect(asked).toEqual([['CL', 100, idOf(5)]])
  })

  it('are read with their pages only while they are in progress', async () => {
    expect((await listRuns(context(1).context, 'CL', undefined)).runs).toMatchObject([{ from: 'pages' }])
    const failed = { status: 'failed', reason: 'Why.', endedAt: '2026-11-21T12:00:00.000Z' }
    const [run] = (await listRuns(context(1, failed).context, 'CL', undefined)).runs
    expect(run).toMatchObject({ status: 'failed', reason: 'Why.' })
    expect(run).not.toHaveProperty('from')
  })

  it.each(['x', '', `${idOf(1)}x`])('cannot be continued after %j', async (before) => {
    await expect(listRuns(context(1).context, 'CL', before)).rejects.toMatchObject({
      problem: 'invalid-request',
      message: 'before is not the id of a run.',
    })
  })
})

const url =
  'https://eu-west-1.console.aws.amazon.com/states/home?region=eu-west-1#/v2/executions/details/arn%3Aaws%3Astates%3Aeu-west-1%3A1%3Aexecution%3Async%3Aa'

it('shows a run with its story, its execution and the command for its log', async () => {
  const refused = { status: 'refused', reason: 'Why.', documents: 40 }
  expect(await readRun(context(1, refused).context, 'CL', 'r')).toMatchObject({
    run: { runId: 'r', from: 'pages' },
    phases: [{ name: 'First page' }],
    notes: [{ level: 'problem' }],
    uniqueIds: 40,
    requests: 12,
    receivedBytes: 3_000,
    refused: {
      guard: 'snapshot',
      reason: 'Why.',
      reviewCommand: 'npx --no-install longshore review r',
      acceptCommand: 'npx --no-install longshore accept r',
    },
    executionUrl: url,
    logsCommand: 'npx --no-install longshore logs r',
    comparison: { kind: 'none' },
    now: '2026-11-21T12:00:00.000Z',
  })
  expect((await readRun(context(1, { status: 'failed' }).context, 'CL', 'r')).refused).toBeNull()
  expect((await readRun(context(1, { execution: undefined }).context, 'CL', 'r')).executionUrl).toBeNull()
  await expect(readRun(context(0).context, 'CL', 'r')).rejects.toMatchObject({
    problem: 'not-found',
    message: 'This run has expired.',
  })
})

describe('the comparison of a run', () => {
  const published = (minutes: number) => ({
    status: 'published',
    endedAt: new Date(now - minutes * 60_000).toISOString(),
    documents: 1,
    uniqueIds: 1,
    proof: 'exact',
  })
  const changes = { kind: 'changes', base: 'a', created: 1, updated: 2, deleted: 3, delivered: 0 }
  it.each<[name: string, change: object, set: object | undefined, comparison: object]>([
    ['is none before a publication', { status: 'failed' }, changes, { kind: 'none' }],
    ['is pending at first', published(14), undefined, { kind: 'pending' }],
    ['is missing when it can no longer come', published(15), undefined, { kind: 'missing' }],
    [
      'is none of an increment that found nothing new',
      { ...published(1), kind: 'increment', increment: { from: 'f', to: 't', records: 0, older: 0 } },
      undefined,
      { kind: 'none' },
    ],
    ['has the counts of the set', published(1), changes, { kind: 'published', set: changes }],
    [
      'has no counts for a reset',
      published(1),
      { kind: 'reset', base: null },
      {
        kind: 'published',
        set: { kind: 'reset', base: null, created: 0, updated: 0, deleted: 0, delivered: 0 },
      },
    ],
  ])('%s', async (...[, change, set, comparison]) => {
    expect((await readRun(context(1, change, { set }).context, 'CL', 'r')).comparison).toEqual(comparison)
  })

  it.each([
    ['refused', 'a', { kind: 'refused', refusedAt: 'then' }, ['changes', 'Why.']],
    ['missing once the chain has moved on', 'b', { kind: 'missing' }, [undefined, undefined]],
  ])('is %s', async (...[, tip, expected, waits]) => {
    const waiting = { base: 'a', refusedAt: 'then', reason: 'Why.' }
    const at = context(1, published(60), { refused: waiting, tip }).context
    const { comparison, refused } = await readRun(at, 'CL', 'r')
    expect(comparison).toEqual(expected)
    expect([refused?.guard, refused?.reason]).toEqual(waits)
  })

  it('is none without change sets', async () => {
    const { context: at } = context(1, published(1), { set: changes })
    at.deployment.configuration.entities[0] = entityNamed('CL', { changes: false }) as never
    expect((await readRun(at, 'CL', 'r')).comparison).toEqual({ kind: 'none' })
  })
})

it('shows an increment that failed a second ago', async () => {
  const increment = newIncrement({ runId: 'i', entity: entityNamed('CL'), execution: undefined, now })
  const change = unpublished(increment, { status: 'failed', reason: 'Why.' }, now + 1_000)
  const at = context(1, { ...change, plan: undefined, split: undefined }).context
  expect(await readRun(at, 'CL', 'i')).toMatchObject({
    phases: [{ name: 'Increment', state: 'stopped', durationMs: 1_000 }],
    notes: [{ text: 'Failed: Why. Nothing is lost: the next increment covers its window.' }],
    comparison: { kind: 'none' },
  })
})
