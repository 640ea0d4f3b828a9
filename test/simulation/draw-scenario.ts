import { renderings } from '../../local/stand-in/rendering.ts'
import { entityNamed } from '../entity-named.ts'
import type { Chance } from './chance.ts'
import { targets } from './functions/targets.ts'
import { withIncrements } from './increments/draw-increments.ts'
import { longWorld } from './increments/draw-long-world.ts'
import { ignorableField } from './platform/document-versions.ts'
import { wrongFilters } from './platform/wrong-filters.ts'
import { withRareConditions } from './rare-conditions.ts'
import { drawScale } from './scale.ts'
import { calmed, type Scenario } from './scenario.ts'
import { drawResponses } from './stores/store-traits.ts'
import { withTables } from './tables/draw-tables.ts'

/** Which worlds are drawn: all kinds, or only long ones with all features. */
export type Worlds = 'all' | 'long'

export function drawScenario(chance: Chance, worlds: Worlds = 'all'): Scenario {
  const drawn = drawFaults(chance)
  const long = chance.branch('long world')
  if (worlds === 'long' || long.happens(0.003)) return longWorld(drawn, long)
  const scaled = drawScale(withFilters(drawn, chance.branch('filters')), chance.branch('scale'))
  const scenario = withRareConditions(scaled, chance)
  if (chance.happens(0.04)) return onlyThrottling(scenario, chance)
  return withIncrements(withTables(scenario, chance.branch('tables')), chance.branch('increments'))
}

/**
 * Filters that are wrong in some seeds. Little else goes wrong in these seeds, since otherwise ranges would never be
 * published.
 */
function withFilters(scenario: Scenario, { happens, pick, integer }: Chance): Scenario {
  const { platform, entities } = scenario
  if (!happens(0.25) || !entities.some(({ partitions }) => partitions)) return scenario
  const filters = pick([...wrongFilters, 'refused-by-scrolls'] as const)
  const changes = happens(0.2) && !platform.live ? maxChanges : platform.changes
  const settings = {
    partitions: { by: 'createdIn', count: integer(2, 3) },
    totalTolerancePercent: pick([1, 10, 50]),
  }
  return {
    ...scenario,
    entities: entities.map((entity) => ({
      ...entity,
      ...settings,
      pageSize: Math.max(25, entity.pageSize),
      maxShrinkPercent: 100,
    })),
    platform: { ...platform, filters, changes, total: 'right', faults: 0.2 * platform.faults, lies: 0 },
  }
}

/** Every fourth request makes such a change, while scrolls show the documents as of their opening. */
const maxChanges = 2.5

/** Several ranges compete for the few scrolls that the platform allows. */
function onlyThrottling(scenario: Scenario, { integer, pick }: Chance): Scenario {
  const calm = calmed(scenario)
  const partitions = { by: 'createdIn', count: integer(2, 5) }
  const { conflicts, ...stores } = scenario.stores
  return {
    ...calm,
    onlyThrottles: true,
    stores: { ...calm.stores, lost: stores.lost, shortPages: stores.shortPages, conflicts: conflicts / 4 },
    entities: calm.entities.map((entity) => ({
      ...entity,
      maxShrinkPercent: 100,
      allowEmpty: true,
      partitions,
    })),
    platform: {
      ...calm.platform,
      total: 'right',
      filters: 'honest',
      maxScrolls: integer(1, 3),
      throttling: pick([0, 0.3]),
    },
  }
}

function drawFaults(chance: Chance): Scenario {
  const { happens, pick, integer, weighted } = chance
  /** Most traits are absent from most seeds, so that each also occurs without the others. */
  const maybe = (probability: number, max: number) => (happens(probability) ? chance.next() * max : 0)
  const pageSize = pick([3, 5, 8, 10, 25, 60, 120])
  const names = happens(0.25) ? ['CL', 'AD'] : ['CL']
  const compares = happens(0.4)
  const changes = compares && {
    ignore: pick([[], [], [ignorableField]]),
    maxDeletePercent: pick([0, 10, 100]),
    keepDays: pick([0.01, 1, 30]),
  }
  const tokens = weighted({ cursor: 4, positional: 3, 'changing-cursor': 2, 'newest-only': 1 } as const)
  return {
    entities: names.map((name) =>
      entityNamed(name, {
        pageSize,
        query: happens(0.2) ? { _where: 'nothing is null', _schema: ['x', 'y'] } : {},
        keepSnapshots: integer(1, 3),
        maxShrinkPercent: pick([0, 30, undefined, 100]),
        allowEmpty: happens(0.3),
        totalTolerancePercent: pick([0, 1, 1, 5, 50]),
        partitions: happens(0.5) ? { by: 'createdIn', count: integer(2, 5) } : undefined,
        changes,
      }),
    ),
    maxConcurrentSyncs: names.length > 1 ? pick([1, 1, 5]) : pick([1, 5]),
    maxConcurrentScrolls: pick([1, 2, 3, 8, 8]),
    stepSeconds: pick([10, 30, 60, 300, 780]),
    scale: 'small',
    wire: happens(0.05),
    compares,
    release: 'current',
    onlyThrottles: false,
    collidingIds: compares && happens(0.1),
    platform: {
      tokens,
      tokenHeader: tokens === 'cursor' ? pick(['every', 'first'] as const) : 'every',
      tokenLifeMs: happens(0.15) ? integer(1, 10) * 60_000 : 20 * 60_000,
      end: pick(['empty', 'brackets', 'no-content', 'white-space'] as const),
      afterEnd: pick(['end', 'expired'] as const),
      rendering: pick(renderings),
      total: weighted({
        right: 12,
        missing: 2,
        'slightly-wrong': 2,
        'short-by-a-page': 2,
        'far-off': 1,
        malformed: 1,
      } as const),
      maxScrolls: happens(0.1) ? integer(1, 3) : 10,
      timeoutOverSize: happens(0.15) ? pick([50, 70, 100]) : Number.POSITIVE_INFINITY,
      onlyPage: happens(0.2) ? 'without-token' : 'with-token',
      slowest: pick([300, 2_000, 2_000, 40_000, 140_000]),
      faults: maybe(0.6, 0.4) ** 2 * 2.5,
      filters: weighted({ honest: 12, ignored: 1, 'ignored-by-scrolls': 1, refused: 1 } as const),
      lies: maybe(0.2, 0.15),
      lostLastPages: 0,
      throttling: 0,
      pageScale: happens(0.1) ? pick([0.2, 0.5, 2]) : 1,
      live: happens(0.1),
      changes: maybe(0.5, 0.5),
      identicalDocuments: happens(0.05),
      earlyTokenExpiry: maybe(0.15, 0.05),
      outageMs: happens(0.12) ? pick([integer(10, 500), 600]) * 1000 : 0,
      rotatesKeys: happens(0.1),
    },
    workers: {
      crash: maybe(0.5, 0.04),
      freeze: maybe(0.4, 0.02),
      skewMs: happens(0.3) ? integer(100, 20_000) : 0,
      clockJump: maybe(0.15, 0.01),
      maxJumpMs: happens(0.3) ? 26 * 3_600_000 : 600_000,
      target: happens(0.4) ? { label: pick(targets), strike: 0.1 + 0.5 * chance.next() } : undefined,
    },
    stores: {
      faults: maybe(0.5, 0.1),
      staleReads: maybe(0.3, 0.5),
      partialDeletes: maybe(0.2, 0.5),
      ghosts: maybe(0.2, 0.05),
      queryPageBytes: pick([200, 1_000, 1_048_576]),
      listPageKeys: pick([1, 7, 1_000]),
      ...drawResponses(chance.branch('responses')),
    },
    drivers: {
      starts: compares ? integer(3, 7) : integer(1, 4),
      kinds: pick([
        { execution: 1, api: 0, direct: 0 },
        { execution: 0, api: 1, direct: 0 },
        { execution: 0, api: 0, direct: 1 },
        { execution: 2, api: 2, direct: 1 },
      ]),
      duplicateStart: maybe(0.3, 0.8),
      duplicateDelivery: maybe(0.3, 0.2),
      lostResponse: maybe(0.3, 0.1),
      cancel: maybe(0.25, 0.6),
      accept: chance.branch('accept').happens(0.5) ? 0.8 : 0,
      stop: maybe(0.1, 0.5),
      pause: maybe(0.1, 0.5),
      change: compares ? 0.5 + 0.5 * chance.next() : maybe(0.5, 1),
      redeploy: maybe(0.5, compares ? 0.7 : 1),
      upgradeAtPage: undefined,
      acceptDeletes: maybe(0.5, 1),
      deleteTip: compares ? maybe(0.1, 0.5) : 0,
      compare: compares ? maybe(0.3, 0.8) : 0,
      slowCompare: 0,
    },
    tables: undefined,
  }
}
