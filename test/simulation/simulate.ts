import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { manifestKey, runPrefix } from '../../stored/snapshots/manifest.ts'
import { lacksEveryId } from '../../stored/snapshots/without-id.ts'
import { createChance } from './chance.ts'
import { changedCollection, drawCollection } from './collections.ts'
import { drawScenario, type Worlds } from './draw-scenario.ts'
import { createDrivers } from './functions/drivers.ts'
import { playPurge } from './functions/purge.ts'
import { incrementSeed } from './increments/increment-seed.ts'
import { playIncrements } from './increments/play-increments.ts'
import type { Invariant, Violation } from './oracle/invariants.ts'
import { Oracle } from './oracle/oracle.ts'
import { isIdentical } from './platform/document-versions.ts'
import { hasId } from './platform/documents.ts'
import { SimulatedPlatform } from './platform/platform-model.ts'
import { openWire } from './platform/wire.ts'
import { redeployed } from './redeployment.ts'
import { calmed } from './scenario.ts'
import { createScheduler, maxEvents } from './scheduler.ts'
import type { Simulation } from './simulation.ts'
import { MemoryDynamoDb } from './stores/memory-dynamodb.ts'
import { MemoryS3 } from './stores/memory-s3.ts'
import { withOtherColumns } from './tables/draw-tables.ts'
import { simulatedTables } from './tables/simulated-tables.ts'
import { checkTables, planTableTrouble } from './tables/table-trouble.ts'
import { takeOver } from './take-over.ts'

export interface SeedResult {
  readonly seed: number
  readonly violation: Violation | undefined
  readonly counts: ReadonlyMap<string, number>
  readonly events: number
  /** The events of the seed, if they were requested. */
  readonly story: readonly string[]
  /** What was stored at the end, by key. */
  readonly objects: MemoryS3['objects']
}

/** False in worlds with false hashes of ids, and in which a person deletes pages. */
export const isIntact = ({ counts }: SeedResult): boolean =>
  !counts.has('colliding ids') && !counts.has('the tip’s snapshot was deleted')

const minute = 60_000
/** Virtual time always begins here. */
const startsAt = Date.UTC(2026, 10, 21)
/** The maximum duration of a run in the worst scenario. */
const maxRunMs = 6 * 60 * minute
/** By then the last lease and the last token have expired: 77 minutes for a wait for a slot, and 5 for the lease. */
const allFreeMs = 85 * minute

/** Simulates one seed: a scenario with faults, then without faults, then one more run that must publish. */
export async function simulate(
  seed: number,
  options: {
    readonly story?: boolean
    readonly worlds?: Worlds
    /** The invariants that count; all by default. */
    readonly heeds?: (invariant: Invariant) => boolean
  } = {},
): Promise<SeedResult> {
  const chance = createChance(seed)
  const scheduler = createScheduler(startsAt)
  const scenario = drawScenario(chance, options.worlds)
  const counts = new Map<string, number>()
  const story: string[] = []
  let serial = 0
  const sim = {
    chance,
    scheduler,
    scenario,
    dynamodb: new MemoryDynamoDb(scenario.stores.queryPageBytes),
    s3: new MemoryS3(scenario.stores.listPageKeys),
    callbacks: new Set(),
    heeds: options.heeds ?? (() => true),
    wire: scenario.wire ? await openWire() : undefined,
    count: (kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1),
    trace: (what: () => string) => {
      if (options.story) story.push(`${clock(scheduler.now())} ${what()}`)
    },
    serial: () => ++serial,
  } as unknown as { -readonly [Key in keyof Simulation]: Simulation[Key] }
  sim.dynamodb.isReadStale = () => chance.happens(sim.scenario.stores.staleReads)
  sim.s3.isDeleteRefused = () => chance.happens(sim.scenario.stores.partialDeletes)
  sim.s3.shortened = (keys) =>
    chance.happens(sim.scenario.stores.shortPages) ? chance.integer(0, keys) : keys
  const isOfIncrements = scenario.increments !== undefined
  const increments = isOfIncrements ? incrementSeed(sim) : undefined
  if (increments) Object.assign(sim, increments)
  else {
    sim.platform = new SimulatedPlatform(sim)
    sim.oracle = new Oracle(sim, sim)
    sim.tables = scenario.tables && simulatedTables(sim)
  }
  sim.trace(() => JSON.stringify(scenario))
  sim.count(`scale: ${scenario.scale}`)
  sim.count(`tokens: ${scenario.platform.tokens}`)
  sim.count(`total: ${scenario.platform.total}`)
  if (scenario.collidingIds) sim.count('colliding ids')

  const restore = takeOver(sim)
  try {
    await (increments ? playIncrements(sim, increments) : play(sim))
    if (scheduler.events() >= maxEvents) sim.oracle.violation('ends-in-time', 'it goes round in circles')
  } finally {
    restore()
  }
  if (increments && sim.oracle.violations.length === 0) await increments.checkOperators()
  return {
    seed,
    violation: sim.oracle.violations[0],
    counts,
    events: scheduler.events(),
    story,
    objects: sim.s3.objects,
  }
}

async function play(sim: { -readonly [Key in keyof Simulation]: Simulation[Key] }): Promise<void> {
  const { scheduler, scenario, oracle, platform } = sim
  const drivers = createDrivers(sim)
  const broken = () => oracle.violations.length > 0
  const names = scenario.entities.map(({ name }) => name)
  for (const name of names) platform.setCollection(name, drawCollection(sim))

  const troubleMs = planTrouble(sim, drivers)
  await scheduler.run(broken, startsAt + troubleMs)
  if (broken()) return

  drivers.rest()
  const deployed = new Map(sim.scenario.entities.map((entity) => [entity.name, entity]))
  // Change sets are turned on again if they were off.
  const entities = scenario.entities.map((entity) => {
    const { changes } = entity
    return { ...(deployed.get(entity.name) ?? entity), changes }
  })
  sim.scenario = { ...calmed(sim.scenario), entities }
  for (const name of names) {
    const distinct = platform.collection(name).filter((index) => !isIdentical(index))
    platform.setCollection(name, distinct)
  }
  platform.keys = { accepted: [platform.keys.secret], secret: platform.keys.secret }
  sim.trace(() => 'all faults stop')
  const jumpMs = scenario.workers.maxJumpMs
  await scheduler.run(() => broken() || !drivers.busy(), scheduler.now() + maxRunMs + jumpMs)
  if (broken()) return
  if (drivers.busy()) return oracle.violation('ends-in-time', 'a run does not end within hours')
  await scheduler.run(broken, scheduler.now() + allFreeMs + jumpMs)
  scheduler.after(0, () => {})
  await idle(sim, allFreeMs + jumpMs)
  if (broken()) return

  for (const name of names) {
    const startedAt = scheduler.now()
    const before = oracle.published(name).at(-1)?.manifest
    drivers.start(name, 'execution', { acceptShrink: true, acceptDeletes: true })
    await scheduler.run(() => broken() || !drivers.busy(), startedAt + maxRunMs)
    if (broken()) return
    // In the meantime a person may accept a run that this one found abandoned.
    const last = drivers.executions.findLast(({ accepts }) => !accepts)
    const documents = platform.collection(name)
    const { allowEmpty, idField } = entities.find((one) => one.name === name) as EntitySettings
    const lacksIds = documents.every((index) => !hasId(index, idField)) && !(before && lacksEveryId(before))
    const isRefused = documents.length === 0 ? !allowEmpty : lacksIds
    const published = oracle.published(name).at(-1)?.latest.runId === last?.last?.['runId']
    if (published === isRefused || last?.last?.['status'] !== (isRefused ? 'refused' : 'published'))
      return oracle.violation('recovers', `the run after all faults returned ${JSON.stringify(last?.last)}`)
    if (!isRefused) oracle.checkRanges(name)
    const tookMs = scheduler.now() - startedAt
    // Scrolls that ignore their filter and report no total are noticed in the middle. They stay open until they expire.
    const { filters, total, tokenLifeMs } = sim.scenario.platform
    const isBlocked = filters === 'ignored-by-scrolls' && total === 'missing' && platform.hasRefusedScrolls
    if (tookMs > 10 * minute + (isBlocked ? tokenLifeMs : 0))
      return oracle.violation('ends-in-time', `a run without faults took ${tookMs / minute} minutes`)
  }
  oracle.checkAtRest(drivers.executions)
  if (sim.tables && !broken()) await checkTables(sim, sim.tables)
  if (!broken()) await playPurge(sim, drivers)
}

/** Advances the time even if no event is scheduled. */
async function idle({ scheduler }: Simulation, ms: number): Promise<void> {
  let over = false
  scheduler.after(ms, () => {
    over = true
  })
  await scheduler.run(() => over, Number.POSITIVE_INFINITY)
}

/** Schedules starts, stops and changes of the entities. Returns the time until the faults stop. */
function planTrouble(
  sim: { -readonly [Key in keyof Simulation]: Simulation[Key] },
  drivers: ReturnType<typeof createDrivers>,
): number {
  const { chance, scheduler, scenario, platform, oracle } = sim
  const accepting = chance.branch('acceptances')
  const { starts, kinds, duplicateStart, cancel, accept, stop, pause, change, compare, deleteTip } =
    scenario.drivers
  const { redeploy: redeployment } = scenario.drivers
  const all = scenario.entities
  const redeploy = () => {
    if (drivers.resting()) return
    sim.scenario = redeployed(sim.scenario, all, chance)
    if (sim.tables) sim.scenario = withOtherColumns(sim.scenario, sim.tables.sim.chance)
    sim.count('redeployed')
    sim.trace(() => `deployed with ${JSON.stringify(sim.scenario.entities)}`)
  }
  const { upgradeAtPage } = scenario.drivers
  if (upgradeAtPage !== undefined)
    oracle.onPage = (pages) => {
      if (pages === upgradeAtPage) scheduler.after(0, redeploy)
    }
  let atMs = 0
  for (let start = 0; start < starts; start++) {
    const { name } = chance.pick(scenario.entities)
    const kind = chance.weighted(kinds)
    const accepted = {
      acceptShrink: chance.happens(0.2),
      acceptDeletes: chance.happens(scenario.drivers.acceptDeletes),
    }
    scheduler.after(atMs, () => drivers.start(name, kind, accepted))
    if (chance.happens(duplicateStart)) {
      const again = chance.weighted(kinds)
      scheduler.after(atMs + chance.delayMs(0, 10 * minute), () => drivers.start(name, again, accepted))
    }
    if (chance.happens(cancel))
      scheduler.after(atMs + chance.delayMs(10, 5 * minute), () => drivers.cancelAny(name))
    if (chance.happens(change)) {
      scheduler.after(atMs + chance.integer(0, 30 * minute), () => {
        platform.setCollection(name, changedCollection(sim, platform.collection(name)))
        sim.trace(() => `${name} has ${platform.collection(name).length} documents now`)
      })
    }
    if (accepting.happens(accept))
      for (const _ of [1, 2])
        scheduler.after(atMs + accepting.integer(0, 60 * minute), () => drivers.acceptAny(name))
    if (chance.happens(redeployment)) scheduler.after(atMs + chance.integer(0, 30 * minute), () => redeploy())
    if (chance.happens(stop))
      scheduler.after(atMs + chance.delayMs(10, 5 * minute), () => drivers.stopAny(name))
    if (chance.happens(compare))
      scheduler.after(atMs + chance.integer(0, 30 * minute), () => drivers.compare(name))
    if (chance.happens(deleteTip))
      scheduler.after(atMs + chance.integer(0, 30 * minute), () => deleteTipOf(sim, name))
    if (sim.tables) atMs += planTableTrouble(sim.tables, { entity: name, atMs })
    if (chance.happens(pause)) atMs += planPause(sim, atMs)
    atMs += chance.pick([1_000, minute, 5 * minute, 20 * minute, 40 * minute]) * (0.5 + chance.next())
  }
  if (scenario.platform.rotatesKeys) planRotation(sim, atMs)
  return atMs + chance.integer(0, 30) * minute
}

/** A month in which nothing starts. DynamoDB deletes expired items at some time during it and later. */
function planPause(sim: Simulation, fromMs: number): number {
  const { chance, scheduler, dynamodb } = sim
  const longMs = chance.pick([20, 31, 35, 70]) * 24 * 60 * minute
  const expire = () => {
    const items = dynamodb.expire(scheduler.now() / 1000, () => chance.happens(0.7))
    if (items > 0) sim.count('items expired')
    sim.trace(() => `${items} items expire`)
  }
  for (const atMs of [0.9 * longMs, longMs - minute, longMs + 2 * minute, longMs + 30 * minute])
    scheduler.after(fromMs + atMs, expire)
  return longMs
}

/** A person deletes the snapshot that the next comparison starts from: its pages, and perhaps its manifest. */
function deleteTipOf(sim: Simulation, entity: string): void {
  const { chance, oracle, s3 } = sim
  const tip = oracle.changes.tip(entity)
  if (tip === undefined) return
  const keepsManifest = chance.happens(0.5)
  for (const key of s3.objects.keys()) {
    const isKept = keepsManifest && key === manifestKey(entity, tip)
    if (key.startsWith(runPrefix(entity, tip)) && !isKept) s3.objects.delete(key)
  }
  oracle.changes.snapshotDeleted(tip)
  sim.count('the tip’s snapshot was deleted')
  sim.trace(() => `somebody deletes the snapshot of ${tip}`)
}

function planRotation({ chance, scheduler, platform }: Simulation, withinMs: number): void {
  const first = chance.delayMs(0, withinMs)
  const second = first + chance.delayMs(0, 10 * minute)
  const secretFirst = chance.happens(0.7)
  scheduler.after(first, () => {
    platform.keys = secretFirst ? { accepted: [1, 2], secret: 2 } : { accepted: [2], secret: 1 }
  })
  scheduler.after(second, () => {
    platform.keys = { accepted: [2], secret: 2 }
  })
}

const clock = (time: number) => new Date(time).toISOString().slice(11, 23)
