import type { Chance } from '../chance.ts'
import { withoutTotal } from '../rare-conditions.ts'
import type { Scenario } from '../scenario.ts'
import { ignoredField } from './document-history.ts'
import { type IncrementScenario, usualIncrements } from './draw-increments.ts'

/** A world in which all features are on at the same time, and what happens lasts for days. */
export function longWorld(scenario: Scenario, chance: Chance): IncrementScenario {
  const { happens, pick, integer, next } = chance
  const small = { ...scenario, scale: 'small', wire: false, onlyThrottles: false, tables: undefined } as const
  const usual = usualIncrements(small, chance)
  const erases = happens(0.4)
  const keepDays = erases || happens(0.6) ? 1 : 30
  const ignores = happens(0.7)
  const totals = pick(['check', 'check', 'ignore'] as const)
  return {
    ...usual,
    increments: {
      ...usual.increments,
      steps: 40,
      burst: happens(0.03),
      keepDays,
      quietMs: 0,
      filter: happens(0.9) ? 'honest' : pick(['coarse', 'leaks']),
      total: 'right',
      clockMs: pick([0, 0, -120_000, 120_000]),
      byHand: 0.3,
      ignores,
      acceptances: 1,
      republications: 1,
      damages: 1,
      cancels: 1,
      operators: true,
      eraseWithinDays: erases ? 8 : undefined,
      intermediaries: happens(0.2) ? 0.02 : 0,
    },
    entities: usual.entities.map((entity) => ({
      ...entity,
      keepSnapshots: integer(1, 4),
      maxShrinkPercent: pick([30, 100]),
      changes: entity.changes && {
        ignore: ignores ? [ignoredField] : [],
        maxDeletePercent: pick([5, 10, 100]),
        keepDays,
      },
      partitions: happens(0.5) ? { by: 'createdIn', count: integer(2, 4) } : undefined,
      totals,
    })),
    platform: { ...usual.platform, ...(totals === 'ignore' && withoutTotal(usual.platform)) },
    workers: { ...usual.workers, crash: happens(0.8) ? 0.012 * next() : 0 },
  }
}
