import { changesLatestKey } from '../../../stored/changes/change-keys.ts'
import { change, damageRefused, deploy, otherEntities, type Played, type Playing } from './world-actions.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** More parts than a new reader applies one by one. */
const burstIncrements = 104

/** How often each step happens. */
const weights = {
  increment: 14,
  'full sync': 9,
  accept: 5,
  republish: 2,
  'mass delete': 2,
  damage: 1,
  redeploy: 1,
  reset: 0.5,
  lag: 2,
  compare: 1,
  'cancel increment': 1,
  'cancel sync': 0.5,
  'stop execution': 0.5,
}
type Step = keyof typeof weights

/** How long it takes until the next step. */
const pauses = { seconds: 3, minutes: 9, hours: 5, 'half a day': 2, days: 1 }
const pauseMs = {
  seconds: [1_000, minute],
  minutes: [minute, 20 * minute],
  hours: [hour, 3 * hour],
  'half a day': [6 * hour, 14 * hour],
  days: [day, 2 * day],
} as const

/** Schedules the steps of a long world, with the changes of documents between them. Returns the time until the last one. */
export function planSteps(sim: Playing, played: Played): number {
  const { chance, scheduler } = sim
  const { seed, traits } = played
  const days = traits.eraseWithinDays === undefined ? pauses.days : 4 * pauses.days
  const act = (step: Step) => {
    sim.count(`step: ${step}`)
    sim.trace(() => `step: ${step}`)
    actions[step](sim, played)
  }
  let atMs = 0
  // The first snapshot.
  scheduler.after(0, () => act('full sync'))
  const burstAt = traits.burst ? chance.integer(5, traits.steps - 5) : -1
  for (let step = 1; step <= traits.steps; step++) {
    const [from, to] = pauseMs[chance.weighted({ ...pauses, days })]
    const ms = chance.integer(from, to)
    for (let changes = chance.integer(0, 2 * traits.changes + 1); changes > 0; changes--)
      scheduler.after(atMs + chance.integer(0, ms), () => change(sim, { seed, forms: traits.forms }))
    atMs += ms
    if (step === burstAt) atMs += planBurst(sim, played, atMs)
    else scheduler.after(atMs, () => act(chance.weighted(weights)))
  }
  atMs += 20 * minute
  planErasure(sim, played, atMs)
  return atMs
}

const actions: Readonly<Record<Step, (sim: Playing, played: Played) => void>> = {
  increment({ chance }, { drivers, traits }) {
    drivers.startIncrement('CL', chance.happens(traits.byHand) ? chance.pick(['api', 'execution']) : 'direct')
  },
  'full sync'({ chance }, { drivers, traits }) {
    drivers.start('CL', chance.happens(traits.byHand) ? 'api' : 'execution', {
      acceptShrink: chance.happens(0.1),
      acceptDeletes: chance.happens(0.1),
    })
  },
  accept: (_sim, { drivers }) => drivers.acceptAny('CL'),
  republish: (_sim, { drivers }) => drivers.republishAny('CL'),
  'mass delete'({ chance, scheduler }, { seed: { platform } }) {
    for (const id of platform.history.ids())
      if (chance.happens(0.6)) platform.history.delete(id, scheduler.now())
  },
  damage(sim, { seed, drivers }) {
    if (damageRefused(sim, seed)) drivers.acceptAny('CL')
  },
  redeploy(sim, { entities }) {
    const { chance, scheduler } = sim
    deploy(sim, otherEntities(entities, chance))
    scheduler.after(chance.integer(minute, 8 * hour), () => deploy(sim, entities))
  },
  reset({ s3 }, { drivers }) {
    if (s3.objects.has(changesLatestKey('CL'))) drivers.requestReset('CL')
  },
  lag({ chance, scheduler }, { seed, traits }) {
    seed.platform.setLag(traits.lagMs)
    scheduler.after(chance.integer(1, 2 * hour), () => seed.platform.setLag(0))
  },
  compare: (_sim, { drivers }) => drivers.compare('CL'),
  'cancel increment'({ chance, scheduler }, { drivers }) {
    drivers.startIncrement('CL', 'api')
    scheduler.after(chance.delayMs(100, 5_000), () => drivers.cancelIncrement('CL'))
  },
  'cancel sync'({ chance, scheduler }, { drivers }) {
    drivers.start('CL', 'api', { acceptShrink: false, acceptDeletes: false })
    scheduler.after(chance.delayMs(100, minute), () => drivers.cancelAny('CL'))
  },
  'stop execution': (_sim, { drivers }) => drivers.stopAny('CL'),
}

/** An increment each minute, each with something to deliver. Returns how long they take. */
function planBurst(sim: Playing, { seed, drivers, traits }: Played, fromMs: number): number {
  const { scheduler } = sim
  for (let count = 0; count < burstIncrements; count++) {
    scheduler.after(fromMs + count * minute, () => drivers.startIncrement('CL', 'direct'))
    scheduler.after(fromMs + count * minute + 40_000, () => change(sim, { seed, forms: traits.forms }))
  }
  return burstIncrements * minute
}

/** The daily task. What must be erased is gone, unless the task failed on two days of three. */
function planErasure({ scheduler }: Playing, { seed, drivers, traits }: Played, untilMs: number): void {
  const { eraseWithinDays } = traits
  if (eraseWithinDays === undefined) return
  const endings: string[] = []
  for (let atMs = day; atMs <= untilMs; atMs += day) {
    scheduler.after(atMs, () => drivers.erase(eraseWithinDays, (how) => void endings.push(how)))
    scheduler.after(atMs + 4 * hour, () => {
      const failures = endings.slice(-3).filter((how) => how === 'failed')
      if (endings.at(-1) === 'erased' && failures.length < 2) seed.checkErased()
    })
  }
}
