import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { Chance } from './chance.ts'
import { heavyRendering } from './platform/documents.ts'
import type { Scale, Scenario } from './scenario.ts'

/** Most seeds are small: a seed of another scale takes ten times as long. */
const weights = { small: 955, 'many-pages': 25, large: 14, heavy: 6 } as const

/** One entity is enough to be large. */
export function drawScale(scenario: Scenario, chance: Chance): Scenario {
  const scale = chance.weighted<Scale>(weights)
  switch (scale) {
    case 'small':
      return scenario
    case 'many-pages':
      return { ...rarelyFailing(ofOneEntity(scenario, scale)), entities: manyPages(scenario, chance) }
    case 'large':
      return {
        ...ofOneEntity(scenario, scale),
        entities: withPageSize(scenario, chance.pick([200, 500, 1000])),
      }
    case 'heavy':
      return comparing(ofOneEntity(scenario, scale), chance)
  }
}

/** About as many faults per run as in a small world, which has few requests. */
function rarelyFailing(scenario: Scenario): Scenario {
  const { platform, workers, stores } = scenario
  const factor = 0.06
  return {
    ...scenario,
    platform: {
      ...platform,
      slowest: Math.min(2_000, platform.slowest),
      faults: platform.faults * factor,
      lies: platform.lies * factor,
      changes: platform.changes * factor,
      earlyTokenExpiry: platform.earlyTokenExpiry * factor,
    },
    workers: {
      ...workers,
      crash: workers.crash * factor,
      freeze: workers.freeze * factor,
      clockJump: workers.clockJump * factor,
      target: undefined,
    },
    stores: { ...stores, faults: stores.faults * factor, ghosts: stores.ghosts * factor },
  }
}

function ofOneEntity(scenario: Scenario, scale: Scale): Scenario {
  const { entities, platform, drivers } = scenario
  return {
    ...scenario,
    scale,
    entities: entities.slice(0, 1),
    platform: {
      ...platform,
      rendering: heavyRendering,
      timeoutOverSize: Number.POSITIVE_INFINITY,
      pageScale: 1,
    },
    drivers: { ...drivers, starts: Math.min(3, drivers.starts) },
  }
}

function manyPages({ entities }: Scenario, { pick, integer, happens }: Chance): EntitySettings[] {
  const pageSize = pick([3, 5, 8])
  const totalTolerancePercent = pick([1, 1, 5])
  const partitions = happens(0.6) ? { by: 'createdIn', count: integer(2, 3) } : undefined
  return entities.slice(0, 1).map((entity) => ({ ...entity, pageSize, totalTolerancePercent, partitions }))
}

const withPageSize = ({ entities }: Scenario, pageSize: number): EntitySettings[] =>
  entities.slice(0, 1).map((entity) => ({ ...entity, pageSize }))

/** Heavy documents show something only if they change between publications that are compared. */
function comparing(scenario: Scenario, { pick }: Chance): Scenario {
  const { entities, drivers, stores } = scenario
  const changes = { ignore: [], maxDeletePercent: 100, keepDays: 30 }
  return {
    ...scenario,
    compares: true,
    entities: entities.map((entity) => ({ ...entity, maxShrinkPercent: 100, changes })),
    stores: { ...stores, shortWrites: pick([0, 0.5]) },
    drivers: { ...drivers, starts: 3, change: 1 },
  }
}
