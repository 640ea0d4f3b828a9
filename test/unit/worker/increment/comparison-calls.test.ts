import { beforeAll, describe, expect, it } from 'vitest'
import { changesLatestKey } from '../../../../stored/changes/change-keys.ts'
import { numbersToTry } from '../../../case-count.ts'
import { type AtCall, callsOf, withCall } from '../../store-calls.ts'
import { documentAt, IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000

/** A snapshot that is published and not compared, after an increment. It lacks nothing and changes one document. */
async function prepare() {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  testbed.update(2, 'delivered')
  await testbed.increment()
  testbed.now += 3 * 60 * minute
  testbed.update(3, 'by the full sync')
  const { runId } = await testbed.stepToEnd()
  return { testbed, runId: runId ?? '' }
}

let world: Awaited<ReturnType<typeof prepare>>
beforeAll(async () => {
  world = await prepare()
})

function prepared() {
  const { runId } = world
  const testbed = world.testbed.copy()
  return { testbed, runId, compare: () => testbed.compare(runId) }
}

/** The set is published, increments continue from it at once, and every set is announced. */
async function expectCompared(testbed: IncrementTestbed, runId: string): Promise<void> {
  await expectContinued(testbed, runId)
  expect(sentRuns(testbed)).toEqual(new Set(testbed.chain().sets.map((set) => set.runId)))
}

async function expectContinued(testbed: IncrementTestbed, runId: string): Promise<void> {
  expect(testbed.chain().sets.map((set) => set.runId)).toContain(runId)
  testbed.update(4, 'later')
  expect(await testbed.increment()).toMatchObject({ status: 'published' })
  expect([...testbed.readerState().values()]).toEqual(testbed.documents)
}

const sentRuns = ({ events }: IncrementTestbed) =>
  new Set(events.flatMap(({ type, detail }) => (type === 'Changes Published' ? detail.runId : [])))

async function callsOfComparison(): Promise<number> {
  const { testbed, compare } = prepared()
  return callsOf(testbed, compare)
}

it.each<AtCall>([{ kind: 'crash' }, { kind: 'failure' }])(
  'a comparison that stops at any of its calls publishes its set when it is repeated ($kind)',
  async (happens) => {
    const calls = await callsOfComparison()
    expect(calls).toBeGreaterThan(15)
    for (const call of numbersToTry(calls)) {
      const { testbed, runId, compare } = prepared()
      const failed = await withCall(testbed, { call, happens }, compare)
      // Only a request that writes the mark itself may leave it, so that increments wait until its time is up.
      const isMarked = happens.kind === 'failure' && testbed.chain().comparing !== undefined
      expect(isMarked && !failed?.includes(changesLatestKey('CL'))).toBe(false)
      await compare()
      await expectCompared(testbed, runId)
    }
  },
)

it.each<[string, (testbed: IncrementTestbed, runId: string) => Promise<unknown>]>([
  ['the same comparison', (testbed, runId) => testbed.compare(runId)],
  ['an increment', (testbed) => testbed.increment(0)],
  [
    'an increment that cannot announce its set',
    async (testbed) => {
      const { publishEvent } = testbed
      testbed.publishEvent = () => Promise.reject(new Error('EventBridge is down.'))
      await testbed.increment(0)
      testbed.publishEvent = publishEvent
    },
  ],
])(
  'a comparison, and a rival that does all of its work before any of its calls are both true for readers: %s',
  async (_, work) => {
    const calls = await callsOfComparison()
    for (const call of numbersToTry(calls)) {
      const { testbed, runId, compare } = prepared()
      // What the rival delivers is not in the snapshot.
      testbed.now += minute
      testbed.create(5)
      await withCall(testbed, { call, happens: { kind: 'rival', work: () => work(testbed, runId) } }, compare)
      const { tip, announced } = testbed.chain()
      expect(!announced || sentRuns(testbed).has(tip)).toBe(true)
      await compare()
      await expectCompared(testbed, runId)
    }
  },
)

it('a comparison, and a newer full sync that does all of its work before any of its calls never move the tip back', async () => {
  const calls = await callsOfComparison()
  for (const call of numbersToTry(calls)) {
    const { testbed, compare } = prepared()
    const work = async () => {
      testbed.create(5)
      await testbed.sync()
    }
    await withCall(testbed, { call, happens: { kind: 'rival', work } }, compare)
    const full = testbed.chain().sets.flatMap(({ kind, runId }) => (kind === 'increment' ? [] : runId))
    expect(full).toEqual(full.toSorted())
    expect([...testbed.readerState().values()]).toEqual(testbed.documents)
  }
})

describe('increments', () => {
  it.each<[string, (testbed: IncrementTestbed) => Promise<unknown>, string]>([
    [
      'was refused',
      async (testbed) => {
        testbed.entity = {
          ...testbed.entity,
          changes: { ignore: ['seen'], maxDeletePercent: 0, keepDays: 30 },
        }
      },
      'refused',
    ],
    [
      'found a damaged page',
      async (testbed) => {
        const [page = ''] = testbed.keysOf(`snapshots/CL/${testbed.chain().snapshot?.runId}/a`)
        testbed.s3.objects.delete(page)
      },
      'failed',
    ],
  ])('continue at once after a comparison that %s', async (_, prepare, status) => {
    const testbed = new IncrementTestbed()
    testbed.entity = { ...testbed.entity, maxShrinkPercent: 100 }
    await testbed.begin()
    for (let id = 5; id <= 20; id++) testbed.documents.push(documentAt(id, 'first', { created: testbed.old }))
    testbed.now += minute
    await testbed.sync()
    testbed.update(2, 'delivered')
    await testbed.increment()
    testbed.now += 3 * 60 * minute
    testbed.documents.length = 4
    const { runId } = await testbed.stepToEnd()
    await prepare(testbed)
    expect(await testbed.compare(runId ?? '')).toMatchObject({ status })
    testbed.update(1, 'later')
    expect(await testbed.increment()).toMatchObject({ status: 'published', records: 1 })
  })

  it('wait for a comparison as long as Lambda lets it run', async () => {
    const { testbed, runId, compare } = prepared()
    const { writeProposal } = testbed.changes
    testbed.changes.writeProposal = async (...write) => {
      testbed.changes.writeProposal = writeProposal
      testbed.update(1, 'later')
      expect(await testbed.increment(15 * minute)).toMatchObject({ status: 'skipped' })
      return writeProposal(...write)
    }
    expect(await compare()).toMatchObject({ status: 'published', runId })
  })
})
