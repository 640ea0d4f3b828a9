import { entityNamed } from '../../entity-named.ts'
import type { Chance } from '../chance.ts'
import { withoutTotal } from '../rare-conditions.ts'
import type { Scenario } from '../scenario.ts'
import { ignoredField } from './document-history.ts'
import type { IncrementTraits } from './increment-traits.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Half of the seeds have increments. */
export function withIncrements(scenario: Scenario, chance: Chance): Scenario {
  if (scenario.scale !== 'small' || scenario.wire || !chance.happens(0.53)) return scenario
  const accepted = withAcceptances(usualIncrements(scenario, chance), chance.branch('increment acceptances'))
  const cancelled = withCancels(accepted, chance.branch('cancels'))
  return withErasure(withCompaction(cancelled, chance.branch('compaction')), chance.branch('erasure'))
}

/** The full syncs publish what is exact, so that every absence counts. */
export function usualIncrements(scenario: Scenario, chance: Chance): IncrementScenario {
  const { happens, pick, integer, next } = chance
  const { platform, workers, stores } = scenario
  const rare = <T>(usual: T, others: readonly T[]) => (happens(0.15) ? pick(others) : usual)
  const everyMs = pick([1, 5, 15]) * minute
  const increments: IncrementTraits = {
    steps: 0,
    everyMs,
    fullEveryMs: everyMs * pick([4, 7, 12]),
    together: happens(0.5),
    increments: integer(6, 14),
    upgraded: happens(0.2),
    changes: pick([0.5, 1, 3]),
    massDeletes: happens(0.2) ? 1 : 0,
    forms: ['usual', 'usual', pick(['usual', 'second', 'no-offset', 'absent', 'future'] as const)],
    lagMs: pick([0, 0, 10 * minute, 50 * minute]),
    filter: rare('honest', [
      'ignored',
      'ignored-by-scrolls',
      'refused',
      'refused-by-scrolls',
      'leaks',
      'coarse',
      'coarse',
    ]),
    total: rare('right', ['missing', 'off']),
    clockMs: rare<number | 'none'>(0, [-2 * minute, 2 * minute, -day, day, 'none']),
    byHand: happens(0.3) ? 0.5 * next() : 0,
    redeploy: happens(0.3) ? 0.15 : 0,
    ...(chance.branch('quiet days').happens(0.2)
      ? ({ keepDays: 1, quietMs: 3 * day } as const)
      : ({ keepDays: 30, quietMs: 0 } as const)),
    ignores: chance.branch('ignored field').happens(0.3),
    acceptances: 0,
    republications: chance.branch('republications').happens(0.2) ? 2 : 0,
    damages: 0,
    cancels: 0,
    // Few seeds pay for this: files are written, and every question reads all pages.
    operators: chance.branch('moments').happens(0.15),
    eraseWithinDays: undefined,
    intermediaries: chance.branch('intermediaries').happens(0.1) ? 0.05 : 0,
  }
  const few = 0.3
  const totals = rare('check', ['ignore'] as const)
  const ranges = chance.branch('ranges')
  return {
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
        increments: { schedule: 'rate(5 minutes)', lookbackMinutes: pick([5, 60, 60, 90, 180, 600]) },
        totals,
      }),
    ],
    platform: {
      ...platform,
      total: 'right',
      ...(totals === 'ignore' && withoutTotal(platform)),
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
}

export type IncrementScenario = Scenario & { readonly increments: IncrementTraits }

/** Callers of the API start increments, and some are cancelled. */
function withCancels(scenario: IncrementScenario, { happens }: Chance): IncrementScenario {
  if (!happens(0.1)) return scenario
  return { ...scenario, increments: { ...scenario.increments, byHand: 0.7, cancels: 0.5 } }
}

/** Content is erased that is no longer published. */
function withErasure(scenario: IncrementScenario, { happens }: Chance): IncrementScenario {
  const { increments, entities, workers } = scenario
  if (increments.increments > 20 || !happens(0.06)) return scenario
  return {
    ...scenario,
    // A task that never ends erases nothing.
    workers: { ...workers, crash: 0, target: undefined },
    increments: { ...increments, eraseWithinDays: 8, keepDays: 1, quietMs: 0, redeploy: 0 },
    entities: entities.map((entity) => ({
      ...entity,
      changes: entity.changes && { ...entity.changes, keepDays: 1 },
    })),
  }
}

/** So many increments after one full sync that their parts are replaced. */
function withCompaction(scenario: IncrementScenario, { happens, integer }: Chance): IncrementScenario {
  if (!happens(0.012)) return scenario
  const everyMs = minute
  const increments = integer(112, 122)
  const many = { everyMs, increments, fullEveryMs: 2 * increments * everyMs, changes: 3, together: true }
  return {
    ...scenario,
    increments: {
      ...scenario.increments,
      ...many,
      forms: ['usual'],
      filter: 'honest',
      total: 'right',
      clockMs: 0,
      redeploy: 0,
      upgraded: false,
    },
    platform: { ...scenario.platform, faults: 0, maxScrolls: 10, earlyTokenExpiry: 0 },
  }
}

/** Guards refuse, and a person accepts what they refused, while increments continue. */
function withAcceptances(scenario: IncrementScenario, { happens, pick, integer }: Chance): IncrementScenario {
  if (!happens(0.3)) return scenario
  const maxShrinkPercent = pick([30, 100])
  const { everyMs, quietMs } = scenario.increments
  return {
    ...scenario,
    increments: {
      ...scenario.increments,
      acceptances: integer(4, 12),
      massDeletes: 2,
      fullEveryMs: everyMs * pick([2, 3, 4]),
      quietMs: Math.max(quietMs, pick([0, 3 * hour, 8 * hour])),
      damages: happens(0.5) ? 3 : 0,
    },
    entities: scenario.entities.map((entity) => ({
      ...entity,
      maxShrinkPercent,
      changes: entity.changes && { ...entity.changes, maxDeletePercent: 10 },
    })),
  }
}
