import { latestKey } from '../../../stored/snapshots/manifest.ts'
import { createDrivers } from '../functions/drivers.ts'
import { calmed } from '../scenario.ts'
import { futureMs } from './document-history.ts'
import type { IncrementSeed } from './increment-seed.ts'
import type { IncrementTraits } from './increment-traits.ts'
import { planSteps } from './play-steps.ts'
import type { Played, Playing } from './world-actions.ts'
import { change, damageRefused, deploy, ids, otherEntities, withoutIncrements } from './world-actions.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** The same duration as for full syncs alone. */
const maxRunMs = 6 * 60 * minute
/** By then the last lease and the scroll of the last increment have expired. */
const allFreeMs = 25 * minute

/**
 * Full syncs and increments at the same time, first with faults and then without. Without faults both must publish, and
 * readers must have the platform's documents.
 */
export async function playIncrements(sim: Playing, seed: IncrementSeed): Promise<void> {
  const { scheduler, scenario, chance } = sim
  const { increments: traits } = scenario
  if (!traits) throw new Error('The scenario has no increments.')
  const drivers = createDrivers(sim)
  const broken = () => seed.oracle.violations.length > 0
  const { history } = seed.platform
  const oldDocument = (id: number) =>
    history.write(String(id), scheduler.now() - 10 * day, { date: seed.platform.now() - 10 * day })
  for (let id = 0; id < chance.integer(0, ids); id++) oldDocument(id)
  // The guard of deletes needs more than ten.
  if (traits.acceptances > 0) for (let id = ids; id < 2 * ids; id++) oldDocument(id)

  // A person starts an increment while the snapshot is about to be compared.
  seed.onPublication = () => {
    if (!drivers.resting() && chance.happens(0.5))
      scheduler.after(chance.integer(0, 2_000), () => drivers.startIncrement('CL', 'direct'))
  }
  const played = { seed, drivers, traits, entities: scenario.entities }
  const troubleMs = traits.steps > 0 ? planSteps(sim, played) : plan(sim, played) + planDays(sim, played)
  await scheduler.run(broken, scheduler.now() + troubleMs)
  if (broken()) return
  drivers.rest()
  const { entities } = scenario
  sim.scenario = { ...calmed(sim.scenario), entities }
  seed.platform.setLag(0)
  sim.trace(() => 'all faults stop')
  await scheduler.run(() => broken() || !drivers.busy(), scheduler.now() + maxRunMs)
  if (drivers.busy()) return seed.oracle.violation('increments-recover', 'a run does not end within hours')
  // Dates are no longer ahead, and nothing is protected from the next full set.
  await idle(sim, allFreeMs + futureMs + protectedMs(sim) + 10 * minute)
  // Its date is before the next window, and an index may know no more than the hour.
  change(sim, { seed, forms: ['usual'] })
  await idle(sim, lookbackMs(sim) + 20 * minute)
  await playInPeace(sim, { seed, drivers })
  if (!broken()) seed.oracle.checkAtRest(drivers.executions)
}

const lookbackMs = ({ scenario: { entities } }: Playing) =>
  Math.max(0, ...entities.map(({ increments }) => increments?.lookbackMinutes ?? 0)) * minute

/** For how long what an increment has delivered is protected from full sets. */
const protectedMs = (sim: Playing) => Math.max(60 * minute, lookbackMs(sim))

/** Both schedules are due in the same second. */
async function playInPeace(sim: Playing, { seed, drivers }: Pick<Played, 'seed' | 'drivers'>): Promise<void> {
  const { chance, scheduler, s3 } = sim
  const broken = () => seed.oracle.violations.length > 0
  const settle = () => scheduler.run(() => broken() || !drivers.busy(), scheduler.now() + maxRunMs)
  const published = () => s3.objects.get(latestKey('CL'))?.body.toString()
  const recovers = (what: string, work: () => void) =>
    seed.check('increments-recover', () => {
      try {
        work()
      } catch (error) {
        throw new Error(`${what}: ${String(error)}`)
      }
    })
  for (let changes = 0; changes < 3; changes++) change(sim, { seed, forms: ['usual'] })
  const before = published()
  const starts = [
    () => drivers.start('CL', 'execution', { acceptShrink: true, acceptDeletes: true }),
    () => drivers.startIncrement('CL', 'direct'),
  ]
  for (const start of chance.happens(0.5) ? starts : starts.toReversed()) start()
  await settle()
  await idle(sim, minute)
  if (broken()) return
  recovers('the full sync', () => {
    const chain = seed.chain()
    const isEmpty = seed.platform.history.at(scheduler.now()).length === 0
    if (isEmpty) return
    if (published() === before) throw new Error('it has not published')
    const tip = JSON.parse(published() ?? '') as { runId: string }
    if (chain?.snapshot?.runId !== tip.runId) throw new Error(`the chain is at ${chain?.snapshot?.runId}`)
  })
  if (broken()) return
  // A full sync may have left the scroll of an increment open, for which increments wait.
  await idle(sim, allFreeMs)
  change(sim, { seed, forms: ['usual'] })
  await idle(sim, minute)
  drivers.startIncrement('CL', 'direct')
  await settle()
  recovers('the increment', () => {
    const { to = '' } = seed.chain()?.window ?? {}
    if (scheduler.now() - Date.parse(to) > 3 * minute) throw new Error(`the last window ended at ${to}`)
  })
  // What was deleted since the full sync is still there.
  await idle(sim, protectedMs(sim) + 10 * minute)
  // Where totals are ignored, or the end may be a limit of the platform, only the second absence proves a delete.
  const provesAbsence = () => {
    const { manifest = '' } = JSON.parse(published() ?? '{}') as { manifest?: string }
    const { proof } = JSON.parse(String(sim.s3.objects.get(manifest)?.body ?? '{}')) as { proof?: string }
    return proof === 'exact'
  }
  for (let syncs = 0; syncs === 0 || (syncs === 1 && !provesAbsence()); syncs++) {
    drivers.start('CL', 'execution', { acceptShrink: true, acceptDeletes: true })
    await settle()
  }
  recovers('after the next full sync', () => {
    if (seed.platform.history.at(scheduler.now()).length > 0) seed.readers.checkTruth(scheduler.now())
  })
}

/** Schedules starts, changes of documents and of the deployment. Returns the time until the faults stop. */
function plan(sim: Playing, played: Played): number {
  const { seed, drivers, traits } = played
  const { chance, scheduler, scenario } = sim
  const { everyMs, fullEveryMs, increments, together, byHand, lagMs, quietMs, acceptances } = traits
  const lastMs = increments * everyMs
  const later = (atMs: number, act: () => void) =>
    scheduler.after(atMs < lastMs / 2 ? atMs : atMs + quietMs, act)
  const sometime = () => chance.integer(0, lastMs)
  const fullSync = () => {
    const kind = chance.happens(byHand) ? 'api' : 'execution'
    const acceptDeletes = chance.happens(0.7)
    drivers.start('CL', kind, {
      acceptShrink: acceptances === 0,
      acceptDeletes: acceptances === 0 && acceptDeletes,
    })
  }
  const phaseMs = together ? 0 : chance.integer(1, fullEveryMs)
  if (!together) later(0, fullSync)
  for (let atMs = phaseMs; atMs < lastMs; atMs += fullEveryMs) later(atMs, fullSync)
  for (let count = 0; count < increments; count++)
    later(count * everyMs, () =>
      drivers.startIncrement('CL', chance.happens(byHand) ? chance.pick(['api', 'execution']) : 'direct'),
    )
  if (traits.cancels > 0)
    for (let count = 0; count < increments; count++)
      if (chance.happens(traits.cancels))
        later(count * everyMs + chance.delayMs(100, 5_000), () => drivers.cancelIncrement('CL'))
  for (let count = 0; count < increments * traits.changes; count++)
    later(sometime(), () => change(sim, { seed, forms: traits.forms }))
  for (let times = 0; times < traits.massDeletes; times++)
    later(sometime(), () => {
      for (const id of seed.platform.history.ids())
        if (chance.happens(0.6)) seed.platform.history.delete(id, scheduler.now())
    })
  for (let times = 0; times < acceptances; times++) later(sometime(), () => drivers.acceptAny('CL'))
  // At the end of the quiet time, before the next increment.
  if (acceptances > 0 && quietMs > 0) scheduler.after(lastMs / 2 + quietMs - 1, () => drivers.acceptAny('CL'))
  for (let times = 0; times < traits.republications; times++)
    later(sometime(), () => drivers.republishAny('CL'))
  for (let times = 0; times < traits.damages; times++)
    later(sometime(), () => {
      if (!damageRefused(sim, seed)) return
      scheduler.after(chance.integer(0, 10) * minute, () => drivers.acceptAny('CL'))
    })
  if (lagMs > 0)
    for (let times = 0; times < 3; times++) {
      const atMs = sometime()
      later(atMs, () => seed.platform.setLag(lagMs))
      later(atMs + chance.integer(1, lagMs), () => seed.platform.setLag(0))
    }
  planDeployments(sim, { traits, lastMs: lastMs + quietMs })
  const { entities } = scenario
  if (traits.upgraded) sim.scenario = { ...scenario, entities: withoutIncrements(entities) }
  return lastMs + quietMs + chance.integer(0, 10) * minute
}

const days = 12

/**
 * Days in which little happens, each with a full sync, an increment and the task that erases. Returns how long they
 * take.
 */
function planDays(sim: Playing, { seed, drivers, traits }: Played): number {
  const { chance, scheduler } = sim
  const { eraseWithinDays, forms, increments, everyMs } = traits
  if (eraseWithinDays === undefined) return 0
  for (let count = 0; count < days; count++) {
    const at = (hours: number, act: () => void) =>
      scheduler.after(increments * everyMs + count * day + hours * hour, act)
    at(chance.integer(1, 8), () => change(sim, { seed, forms }))
    at(9, () => drivers.startIncrement('CL', 'direct'))
    at(chance.integer(10, 12), () => change(sim, { seed, forms }))
    if (chance.happens(0.7))
      at(13, () => drivers.start('CL', 'execution', { acceptShrink: true, acceptDeletes: true }))
    at(20, () => drivers.erase(eraseWithinDays))
    at(24, () => seed.checkErased())
  }
  return days * day
}

/** Increments are turned on, off and on again, and another query begins a new chain. */
function planDeployments(
  sim: Playing,
  { traits, lastMs }: { readonly traits: IncrementTraits; readonly lastMs: number },
): void {
  const { chance, scheduler } = sim
  const { entities } = sim.scenario
  if (traits.upgraded) scheduler.after(0.3 * lastMs, () => deploy(sim, entities))
  if (!chance.happens(traits.redeploy)) return
  const other = otherEntities(entities, chance)
  const atMs = chance.integer(0, Math.round(0.7 * lastMs))
  scheduler.after(atMs, () => deploy(sim, other))
  scheduler.after(atMs + chance.integer(0, Math.round(0.3 * lastMs)), () => deploy(sim, entities))
}

/** Advances the time even if no event is scheduled. */
async function idle({ scheduler }: Playing, ms: number): Promise<void> {
  let over = false
  scheduler.after(ms, () => {
    over = true
  })
  await scheduler.run(() => over, Number.POSITIVE_INFINITY)
}
