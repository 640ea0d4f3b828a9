import { createHash } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { newRunId } from '../../../stored/run/run.ts'
import { type Latest, latestKey, type Manifest } from '../../../stored/snapshots/manifest.ts'
import { numbersToTry, rowsToTry } from '../../case-count.ts'
import { callsOf, withCall } from '../store-calls.ts'
import type { IncrementTestbed } from './increment/increment-testbed.ts'
import {
  acceptance,
  apiAcceptance,
  beginAcceptance,
  cancellation,
  type Deed,
  dailyErasure,
  execute,
  increment,
  nothing,
  personErasure,
  prepare,
  republication,
  sync,
  type World,
} from './race-deeds.ts'
import { stepRequest } from './worker-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
/** The lease and the scroll of a worker that is gone have expired then. */
const expiredMs = 25 * minute

let world: World
beforeAll(async () => {
  world = await prepare()
})

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
  await execute(testbed, testbed.next())
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
  { deed: accepted, rival: nothing },
  { deed: acceptance('newer', true), rival: nothing },
  { deed: apiAcceptance, rival: nothing },
  { deed: republication, rival: nothing },
  { deed: sync, rival: nothing },
  { deed: apiAcceptance, rival: sync },
  { deed: apiAcceptance, rival: accepted },
  { deed: sync, rival: apiAcceptance },
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

it.each(rowsToTry(races).map((race) => ({ ...race, of: race.deed.name, with: race.rival.name })))(
  '$of, before any call of which $with does all of its work, leave readers with what they have after one and the other',
  async ({ deed, rival, ageMs = 0 }) => {
    const outcomes = await serialOutcomes([[deed, rival], [rival, deed], [deed], [rival]], ageMs)
    const undisturbed = copied(ageMs)
    const calls = await callsOf(undisturbed.testbed, deed.begin(undisturbed))
    for (const call of numbersToTry(calls)) {
      const raced = copied(ageMs)
      const { testbed } = raced
      const [run, work] = [deed.begin(raced), rival.begin(raced)]
      const stops = rival === nothing || call % 3 === 0
      const happens = { kind: 'rival', work, ...(stops && { stopsAfter: 2 }) } as const
      const failed = await withCall(testbed, { call, happens }, run).catch((error: unknown) => {
        if (stops) return error
        throw error
      })
      if (failed) {
        publishedManifest(testbed)
        testbed.now += minute
        // An execution that has been stopped is not continued.
        if (rival !== nothing || call % 2 === 0) await run()
      }
      publishedManifest(testbed)
      await settle(testbed)
      expect([...outcomes], `call ${call}`).toContainEqual(readers(raced))
      await expectContinues(raced)
    }
  },
)

it('a refused run leaves the lease to its acceptance, before whatever of its calls a person accepts it', async () => {
  const refuse = () => {
    const raced = copied()
    const { testbed } = raced
    testbed.documents.length = 2
    const runId = newRunId(testbed.now)
    return { testbed, runId, run: () => testbed.stepToEnd(stepRequest(runId)) }
  }
  const undisturbed = refuse()
  const calls = await callsOf(undisturbed.testbed, undisturbed.run)
  let accepted = 0
  // It releases its lease at the end, and its execution may ask again.
  for (const call of [calls - 3, calls - 2, calls - 1, calls, calls + 1]) {
    const { testbed, runId, run } = refuse()
    const accept = beginAcceptance(testbed, runId)
    await withCall(testbed, { call, happens: { kind: 'rival', work: accept.begin } }, async () => {
      await run()
      await run()
    })
    const { lease } = await testbed.state.readEntity('CL')
    expect({ ...lease }).toMatchObject(accept.isStarted() ? { runId, accepts: true } : {})
    accepted += accept.isStarted() ? 1 : 0
  }
  expect(accepted).toBeGreaterThan(1)
})
