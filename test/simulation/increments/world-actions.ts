import { runPrefix } from '../../../stored/snapshots/manifest.ts'
import type { Chance } from '../chance.ts'
import type { Drivers } from '../functions/drivers.ts'
import type { PlayedSimulation } from '../simulation.ts'
import type { IncrementSeed } from './increment-seed.ts'
import type { IncrementTraits } from './increment-traits.ts'

export type Playing = { -readonly [Key in keyof PlayedSimulation]: PlayedSimulation[Key] }

export interface Played {
  readonly seed: IncrementSeed
  readonly drivers: Drivers
  readonly traits: IncrementTraits
  /** The deployment that every other one ends with. */
  readonly entities: Entities
}

/** Documents that change. */
export const ids = 20

/** Creates, updates or deletes a document, or changes it without moving its dates. */
export function change(
  { chance, scheduler, scenario, trace }: Playing,
  { seed, forms }: { readonly seed: IncrementSeed; readonly forms: IncrementTraits['forms'] },
): void {
  const { history } = seed.platform
  const id = String(chance.integer(0, ids - 1))
  const now = scheduler.now()
  const action = chance.weighted({
    write: 8,
    delete: 2,
    silent: 1,
    seen: scenario.increments?.ignores ? 4 : 0,
  })
  if (action === 'write') history.write(id, now, { date: seed.platform.now(), form: chance.pick(forms) })
  else if (action === 'delete') history.delete(id, now)
  else history.changeSilently(id, now, action === 'seen' ? 'seen' : 'value')
  trace(() => `${action} ${id}: ${history.current(id)?.text}`)
}

/** A page of a snapshot that a person may accept is damaged or gone. */
export function damageRefused({ chance, s3, trace }: Playing, { oracle }: IncrementSeed): boolean {
  const runs = oracle.refused('CL').flatMap(({ runId, guard }) => (guard === 'snapshot' ? runId : []))
  if (runs.length === 0) return false
  const runId = chance.pick(runs)
  const pages = [...s3.objects.keys()].filter(
    (key) => key.startsWith(runPrefix('CL', runId)) && key.endsWith('.gz'),
  )
  if (pages.length === 0) return false
  const key = chance.pick(pages)
  const object = s3.objects.get(key)
  if (object && chance.happens(0.5)) s3.objects.set(key, { ...object, body: object.body.subarray(1) })
  else s3.objects.delete(key)
  oracle.changes.snapshotDeleted(runId)
  trace(() => `somebody damages ${key}`)
  return true
}

type Entities = PlayedSimulation['scenario']['entities']

export const withoutIncrements = (entities: Entities): Entities =>
  entities.map((entity) => ({ ...entity, increments: undefined }))

/** Entities without increments, or with another query, which begins a new chain. */
export const otherEntities = (entities: Entities, { happens }: Chance): Entities =>
  happens(0.5)
    ? withoutIncrements(entities)
    : entities.map((entity) => ({ ...entity, query: { _where: 'id is not null' } }))

export function deploy(sim: Playing, entities: Entities): void {
  sim.scenario = { ...sim.scenario, entities }
  sim.count('redeployed')
  sim.trace(() => `deployed with ${JSON.stringify(entities)}`)
}
