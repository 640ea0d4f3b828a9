import type { EndForm } from '../../local/stand-in/scrolls/scroll-behaviour.ts'
import type { Chance } from './chance.ts'
import { calmed, type Scenario } from './scenario.ts'

/** How a scroll ends on platforms that forget a finished one. */
const finishedForms = [
  'null',
  'refused',
  'not-found',
  'gone',
  'object',
  'text',
  'no-range',
] as const satisfies readonly EndForm[]

/** Conditions that meet too rarely by chance alone. Each is drawn from choices of its own. */
export function withRareConditions(drawn: Scenario, chance: Chance): Scenario {
  const withLoss = withLostPages(drawn, chance.branch('lost pages'))
  const withOverlap = withSlowComparisons(withLoss, chance.branch('slow comparisons'))
  const withTakeover = withUpgrade(withOverlap, chance.branch('upgrade'))
  return withFinishedScrolls(
    withOutage(withTakeover, chance.branch('outage')),
    chance.branch('finished scrolls'),
  )
}

/** The platform forgets a scroll that has sent its last page. Without a total nobody can tell that from a lost one. */
function withFinishedScrolls(scenario: Scenario, { happens, pick }: Chance): Scenario {
  const { platform, entities } = scenario
  const hasTotals = platform.total !== 'missing' && entities.every(({ totals }) => totals === 'check')
  if (!hasTotals || !happens(0.15)) return scenario
  return { ...scenario, platform: { ...platform, end: pick(finishedForms) } }
}

/**
 * What a platform must be for entities without a total: without a token, a first page looks like the only one, and a
 * refused request like a lost scroll.
 */
export const withoutTotal = ({ end }: Scenario['platform']) => ({
  onlyPage: 'with-token' as const,
  end: finishedForms.some((form) => form === end) ? ('empty' as const) : end,
})

const lossOfScale = { small: 0.1, 'many-pages': 0.4, large: 0.5, heavy: 0 } as const
const tolerancesOfScale = { small: [50], 'many-pages': [1, 5], large: [1], heavy: [0] } as const

/** A part of a page is lost, which is within the tolerance: only the suspicion shows that it is missing. */
function withLostPages(scenario: Scenario, { happens, pick, next }: Chance): Scenario {
  const { scale, platform, entities } = scenario
  if (!happens(lossOfScale[scale])) return scenario
  const totalTolerancePercent = pick<number>(tolerancesOfScale[scale])
  return {
    ...scenario,
    entities: entities.map((entity) => ({ ...entity, totalTolerancePercent })),
    platform: { ...platform, filters: 'honest', total: 'right', lies: 0, lostLastPages: 0.2 + 0.5 * next() },
  }
}

/** Several runs publish, and clean up, while a comparison is in progress. */
function withSlowComparisons(scenario: Scenario, { happens, pick }: Chance): Scenario {
  const { scale, compares, entities, platform, workers, stores, drivers } = scenario
  if (scale !== 'small' || !compares || !happens(0.15)) return scenario
  return {
    ...scenario,
    entities: entities.slice(0, 1).map((entity) => ({
      ...entity,
      maxShrinkPercent: 100,
      keepSnapshots: pick([1, 2]),
      changes: entity.changes && { ...entity.changes, maxDeletePercent: 100 },
    })),
    platform: { ...platform, total: 'right', faults: platform.faults / 4, lies: 0 },
    workers: { ...workers, target: undefined },
    stores: { ...stores, faults: stores.faults / 4 },
    drivers: {
      ...drivers,
      starts: 7,
      kinds: { execution: 2, api: 0, direct: 1 },
      redeploy: 0,
      slowCompare: 0.8,
    },
  }
}

/** A deployment with another configuration takes over at some page of a run that takes several workers. */
function withUpgrade(scenario: Scenario, { happens, integer }: Chance): Scenario {
  const { scale, platform, drivers } = scenario
  if (scale !== 'small' || !happens(0.05)) return scenario
  return {
    ...scenario,
    release: 'earlier',
    stepSeconds: 10,
    platform: { ...platform, slowest: 40_000, faults: platform.faults / 4 },
    drivers: { ...drivers, upgradeAtPage: integer(1, 12) },
  }
}

/** The platform is down for hours, and nothing else fails. */
function withOutage(scenario: Scenario, { happens }: Chance): Scenario {
  if (scenario.scale !== 'small' || !happens(0.01)) return scenario
  const { platform, drivers, entities, ...calm } = calmed(scenario)
  return {
    ...calm,
    entities: entities.slice(0, 1),
    platform: { ...platform, outageMs: 600_000 },
    drivers: { ...drivers, starts: 10 },
  }
}
