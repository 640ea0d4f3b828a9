import { entityNamed } from '../../entity-named.ts'
import type { Chance } from '../chance.ts'
import type { Scenario } from '../scenario.ts'
import { ignoredField } from './document-history.ts'
import type { IncrementTraits } from './increment-traits.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** Some seeds have increments. Their full syncs publish what is exact, so that every absence counts. */
export function withIncrements(scenario: Scenario, chance: Chance): Scenario {
  const { happens, pick, integer, next } = chance
  if (scenario.scale !== 'small' || scenario.onlyThrottles || scenario.wire || !happens(0.03)) return scenario
  const { platform, workers, stores } = scenario
  const rare = <T>(usual: T, others: readonly T[]) => (happens(0.15) ? pick(others) : usual)
  const everyMs = pick([1, 5, 15]) * minute
  const increments: IncrementTraits = {
    everyMs,
    fullEveryMs: everyMs * pick([4, 7, 12]),
    together: happens(0.5),
    increments: integer(8, 20),
    upgraded: happens(0.2),
    changes: pick([0.5, 1, 3]),
    deletesHalf: happens(0.2),
    forms: ['usual', 'usual', pick(['usual', 'second', 'no-offset', 'absent', 'future'] as const)],
    lagMs: pick([0, 0, 10 * minute, 50 * minute]),
    filter: rare('honest', ['ignored', 'ignored-by-scrolls', 'refused', 'refused-by-scrolls', 'leaks']),
    total: rare('right', ['missing', 'off']),
    clockMs: rare<number | 'none'>(0, [-2 * minute, 2 * minute, -day, day, 'none']),
    byHand: happens(0.3) ? 0.5 * next() : 0,
    redeploy: happens(0.3) ? 0.15 : 0,
    keepDays: chance.branch('quiet days').happens(0.2) ? 1 : 30,
    ignores: chance.branch('ignored field').happens(0.3),
    acceptances: 0,
  }
  const few = 0.3
  const ranges = chance.branch('ranges')
  const usual: IncrementScenario = {
    ...scenario,
    compares: true,
    collidingIds: false,
    release: 'current',
    tables: undefined,
    increments,
    entities: [
      entityNamed('CL', {
        pageSize: pick([2, 3, 5, 10]),
        maxShrinkPercent: 100,
        totalTolerancePercent: 0,
        changes: {
          ignore: increments.ignores ? [ignoredField] : [],
          maxDeletePercent: pick([10, 100, 100]),
          keepDays: increments.keepDays,
        },
        partitions: ranges.happens(0.25) ? { by: 'createdIn', count: ranges.integer(2, 4) } : undefined,
        increments: { schedule: 'rate(5 minutes)', lookbackMinutes: pick([5, 60, 60]) },
      }),
    ],
    platform: {
      ...platform,
      total: 'right',
      filters: 'honest',
      lies: 0,
      lostLastPages: 0,
      slowest: Math.min(2_000, platform.slowest),
      faults: platform.faults * few,
      outageMs: 0,
      rotatesKeys: false,
      identicalDocuments: false,
      changes: 0,
    },
    workers: { ...workers, crash: workers.crash * few, clockJump: 0 },
    stores: { ...stores, faults: stores.faults * few, ghosts: stores.ghosts * few },
    drivers: { ...scenario.drivers, cancel: 0, stop: 0, pause: 0, redeploy: 0, upgradeAtPage: undefined },
  }
  return withAcceptances(usual, chance.branch('increment acceptances'))
}

type IncrementScenario = Scenario & { readonly increments: IncrementTraits }

/** Guards refuse, and a person accepts what they refused, while increments continue. */
function withAcceptances(scenario: IncrementScenario, { happens, pick, integer }: Chance): IncrementScenario {
  if (!happens(0.3)) return scenario
  const maxShrinkPercent = pick([30, 100])
  return {
    ...scenario,
    increments: { ...scenario.increments, acceptances: integer(1, 8), deletesHalf: true },
    entities: scenario.entities.map((entity) => ({
      ...entity,
      maxShrinkPercent,
      changes: entity.changes && { ...entity.changes, maxDeletePercent: 10 },
    })),
  }
}
