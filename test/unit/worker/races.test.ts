import { createHash } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { beforeAll, expect, it } from 'vitest'
import { eraseAll } from '../../../functions/compare/erase/erase-all.ts'
import { createErasurePasses } from '../../../functions/state/erasure/passes.ts'
import { createObjectVersionStore } from '../../../functions/state/object-versions.aws.ts'
import { newRunId } from '../../../functions/state/run/run.ts'
import { type Latest, latestKey, type Manifest } from '../../../functions/state/snapshots/manifest.ts'
import { createSyncs } from '../../../functions/sync-api/syncs.ts'
import { erase, planErasure } from '../../../operator/erase/erase.ts'
import { CommandError } from '../../../operator/errors.ts'
import { numbersToTry } from '../../case-count.ts'
import { contextOf, requestFor } from '../operator/erase/context-of.ts'
import { callsOf, withCall } from '../store-calls.ts'
import { documentAt, IncrementTestbed } from './increment/increment-testbed.ts'
import { stepRequest } from './worker-testbed.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** The lease and the scroll of a worker that is gone have expired then. */
const expiredMs = 25 * minute
const person = '9'

interface World {
  readonly testbed: IncrementTestbed
  /** Two snapshots that were published, and two that were refused later. Only the first refused one has the person. */
  readonly runs: Readonly<Record<'first' | 'second' | 'older' | 'newer', string>>
}

async function prepare(): Promise<World> {
  const testbed = new IncrementTestbed()
  testbed.s3.now = () => testbed.now
  testbed.eraseWithinDays = 8
  await testbed.begin()
  const first = testbed.chain().tip
  testbed.update(2, 'second')
  testbed.now += hour
  const second = await testbed.sync()
  const refused = async (documents: string[]) => {
    testbed.now += 3 * hour
    testbed.documents = documents
    const { status, runId } = await testbed.stepToEnd()
    if (status !== 'refused' || !runId) throw new Error(`The run is ${status}.`)
    return runId
  }
  const [one = '', two = '', ...others] = testbed.documents
  const older = await refused([one, documentAt(Number(person), 'person', { created: testbed.old })])
  const newer = await refused([one, two])
  testbed.now += 3 * hour
  testbed.documents = [one, two, ...others]
  testbed.update(3, 'third')
  testbed.create(5)
  testbed.now += minute
  return { testbed, runs: { first, second, older, newer } }
}

let world: World
beforeAll(async () => {
  world = await prepare()
})

interface Deed {
  readonly name: string
  /** May be done again, as the state machine does after a failure. */
  readonly begin: (world: World) => () => Promise<unknown>
}

/** What an execution does: the worker until the run has ended, and the comparison. */
async function execute(testbed: IncrementTestbed, request: ReturnType<typeof stepRequest>): Promise<void> {
  const { status, runId } = await testbed.stepToEnd(request)
  const accept = request.job.kind === 'accept' ? request.job : undefined
  if (status !== 'published' || !runId) return
  const reviewed = accept?.guard === 'snapshot' && accept.withChanges ? 'snapshot' : undefined
  await testbed.compare(runId, reviewed && { reviewed, runId, by: 'alice' })
}

const acceptance = (of: 'older' | 'newer', withChanges?: true): Deed => ({
  name: `an acceptance of the ${of} refusal${withChanges ? ' with its change set' : ''}`,
  begin: ({ testbed, runs }) => {
    const job = {
      kind: 'accept',
      guard: 'snapshot',
      by: 'alice',
      ...(withChanges && { withChanges }),
    } as const
    return () => execute(testbed, stepRequest(runs[of], job))
  },
})

const sync: Deed = {
  name: 'a full sync',
  begin: ({ testbed }) => {
    const request = stepRequest(newRunId(testbed.now))
    return () => execute(testbed, request)
  },
}

const republication: Deed = {
  name: 'a republication',
  begin: ({ testbed, runs: { first: from } }) => {
    const request = stepRequest(newRunId(testbed.now + 1), { kind: 'republish', from, acceptShrink: true })
    return () => execute(testbed, request)
  },
}

const increment: Deed = {
  name: 'an increment',
  begin:
    ({ testbed }) =>
    () =>
      testbed.increment(0),
}

const cancellation: Deed = {
  name: 'a cancellation',
  begin: ({ testbed }) => {
    const { state, entity } = testbed
    const executions = {
      arnOf: async (id: string) => id,
      start: async () => undefined,
      stop: async () => undefined,
    }
    const context = { settings: { entities: [entity] }, state, executions, log: () => undefined }
    const syncs = createSyncs({ ...context, now: () => testbed.now } as never)
    return async () => {
      const running = await syncs.readRunning('CL')
      if (running?.hasItem) await syncs.cancel('CL', running.runId).catch(() => undefined)
    }
  },
}

const personErasure: Deed = {
  name: 'an erasure of a person',
  begin:
    ({ testbed }) =>
    async () => {
      try {
        await erase(contextOf(testbed), await planErasure(contextOf(testbed), requestFor(testbed, person)))
      } catch (error) {
        if (!(error instanceof CommandError)) throw error
      }
    },
}

const dailyErasure: Deed = {
  name: 'the daily erasure',
  begin: ({ testbed }) => {
    const { snapshots, changes, state, s3, dynamodb } = testbed
    return () =>
      eraseAll({
        snapshots,
        changes,
        state,
        versions: createObjectVersionStore('snapshots', s3 as unknown as S3Client),
        passes: createErasurePasses(dynamodb, 'erasedAt'),
        configured: ['CL'],
        eraseWithinDays: 8,
        checkTime: () => undefined,
        now: () => testbed.now,
        log: () => undefined,
      })
  },
}

function copied(ageMs = 0): World {
  const testbed = world.testbed.copy()
  testbed.now += ageMs
  return { testbed, runs: world.runs }
}

/** What readers have: the documents of the published snapshot, and those of the chain. */
function readers({ testbed }: World): string {
  const { pages } = publishedManifest(testbed)
  const { reset, erased } = testbed.chain()
  const chain = reset !== null || erased ? 'reset' : [...testbed.readerState().values()].toSorted()
  return JSON.stringify({ snapshot: testbed.lines(pages).toSorted(), chain })
}

function publishedManifest(testbed: IncrementTestbed): Manifest {
  const manifest = testbed.json<Manifest>(testbed.json<Latest>(latestKey('CL')).manifest)
  for (const { key, sha256 } of manifest.pages)
    expect(
      createHash('sha256')
        .update(testbed.s3.objects.get(key)?.body ?? '')
        .digest('hex'),
    ).toBe(sha256)
  return manifest
}

/** What a deed leaves undone, the entity's next execution does: the comparison. */
async function settle(testbed: IncrementTestbed): Promise<void> {
  const { runId } = testbed.json<Latest>(latestKey('CL'))
  await testbed.compare(runId)
}

async function serialOutcomes(deeds: readonly (readonly Deed[])[], ageMs: number): Promise<Set<string>> {
  const outcomes = new Set<string>()
  for (const order of deeds) {
    const serial = copied(ageMs)
    for (const deed of order) await deed.begin(serial)()
    await settle(serial.testbed)
    outcomes.add(readers(serial))
  }
  return outcomes
}

/** The entity is free, and its next sync and increment bring every reader to what the platform has. */
async function expectContinues({ testbed }: World): Promise<void> {
  testbed.now += expiredMs
  testbed.update(4, 'later')
  await testbed.sync()
  testbed.update(1, 'latest')
  expect(await testbed.increment()).toMatchObject({ status: 'published' })
  expect([...testbed.readerState().values()].toSorted()).toEqual(testbed.documents.toSorted())
  expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
  const times = { now: testbed.now, until: testbed.now + minute }
  expect(await testbed.state.takeScrollSlot({ runId: 'free', range: 0 }, 1, times)).toBe(true)
  expect(await testbed.state.takeSlot('free', 1, times)).toBe(true)
}

interface Race {
  readonly deed: Deed
  readonly rival: Deed
  readonly ageMs?: number
}

const accepted = acceptance('newer')
/** The refusals are older than erasure keeps anything. */
const ageMs = 6 * day

const races: readonly Race[] = [
  { deed: sync, rival: accepted },
  { deed: accepted, rival: sync },
  { deed: accepted, rival: increment },
  { deed: increment, rival: accepted },
  { deed: accepted, rival: cancellation },
  { deed: sync, rival: cancellation },
  { deed: republication, rival: cancellation },
  { deed: republication, rival: sync },
  { deed: sync, rival: republication },
  { deed: increment, rival: republication },
  { deed: republication, rival: increment },
  { deed: republication, rival: accepted },
  { deed: accepted, rival: republication },
  { deed: accepted, rival: accepted },
  { deed: accepted, rival: acceptance('newer', true) },
  { deed: acceptance('newer', true), rival: accepted },
  { deed: acceptance('older'), rival: accepted },
  { deed: accepted, rival: acceptance('older') },
  { deed: acceptance('older'), rival: sync },
  { deed: acceptance('older'), rival: personErasure },
  { deed: personErasure, rival: acceptance('older') },
  { deed: personErasure, rival: accepted },
  { deed: personErasure, rival: republication },
  { deed: accepted, rival: dailyErasure, ageMs },
  { deed: dailyErasure, rival: accepted, ageMs },
  { deed: dailyErasure, rival: republication, ageMs },
]

it.each(races.map((race) => ({ ...race, of: race.deed.name, with: race.rival.name })))(
  '$of, before any call of which $with does all of its work, leave readers with what they have after one and the other',
  async ({ deed, rival, ageMs = 0 }) => {
    const outcomes = await serialOutcomes([[deed, rival], [rival, deed], [deed], [rival]], ageMs)
    const undisturbed = copied(ageMs)
    const calls = await callsOf(undisturbed.testbed, deed.begin(undisturbed))
    for (const call of numbersToTry(calls)) {
      const raced = copied(ageMs)
      const { testbed } = raced
      const [run, work] = [deed.begin(raced), rival.begin(raced)]
      const stops = call % 3 === 0
      const happens = { kind: 'rival', work, ...(stops && { stopsAfter: 2 }) } as const
      const failed = await withCall(testbed, { call, happens }, run).catch((error: unknown) => {
        if (stops) return error
        throw error
      })
      if (failed) {
        publishedManifest(testbed)
        testbed.now += minute
        await run()
      }
      publishedManifest(testbed)
      await settle(testbed)
      expect([...outcomes], `call ${call}`).toContainEqual(readers(raced))
      await expectContinues(raced)
    }
  },
)
