import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { renderings } from '../../local/platform/rendering.ts'
import type { ScrollBehaviour } from '../../local/platform/scroll/scroll-behaviour.ts'
import { entityNamed } from '../entity-named.ts'
import type { Chance } from './chance.ts'
import { ignorableField } from './platform/document-versions.ts'

/** The conditions of a seed. Probabilities are per call, so a scenario of zeros has no faults. */
export interface Scenario {
  readonly entities: readonly EntitySettings[]
  readonly maxConcurrentSyncs: number
  readonly maxConcurrentScrolls: number
  readonly stepSeconds: number
  /** Whether answers pass over a real connection to the real HTTP client. */
  readonly wire: boolean
  /** Whether publications are compared. */
  readonly compares: boolean
  /** Whether the platform does nothing worse than throttle, and nothing else fails: every run must publish. */
  readonly onlyThrottles: boolean
  /** The ids of two documents have the same first 64 bits of their hashes. */
  readonly collidingIds: boolean
  readonly platform: PlatformTraits
  readonly workers: WorkerTraits
  readonly stores: StoreTraits
  readonly drivers: DriverTraits
}

export interface PlatformTraits extends Readonly<Omit<ScrollBehaviour, 'total' | 'endless'>> {
  readonly total: 'right' | 'missing' | 'slightly-wrong' | 'short-by-a-page' | 'far-off' | 'malformed'
  readonly slowest: number
  readonly faults: number
  /** What the platform makes of the filters that cut an entity into ranges. */
  readonly filters: 'honest' | 'ignored' | 'ignored-by-scrolls' | 'refused'
  /** Collections contain identical documents without an id. */
  readonly identicalDocuments: boolean
  /** Probability per request that a document is created or deleted. */
  readonly changes: number
  /** Well-formed answers that are not true. */
  readonly lies: number
  /** Probability of a 429. */
  readonly throttling: number
  readonly tokenDeath: number
  /** Milliseconds of each ten minutes during which every request fails; 600,000 is an outage without end. */
  readonly outageMs: number
  readonly rotatesKeys: boolean
}

export interface WorkerTraits {
  readonly death: number
  readonly freeze: number
  readonly skewMs: number
  readonly clockJump: number
  readonly maxJumpMs: number
  /** A kind of call that fails far more often than the others, and how often. */
  readonly target: { readonly label: string; readonly strike: number } | undefined
}

export interface StoreTraits {
  readonly faults: number
  /** Eventually consistent reads that return an older state. */
  readonly staleReads: number
  /** DeleteObjects that deletes only some of its keys. */
  readonly partialDeletes: number
  /** A lost call that takes effect after its repetition. */
  readonly ghosts: number
  readonly queryPageBytes: number
  readonly listPageKeys: number
}

export interface DriverTraits {
  readonly starts: number
  readonly kinds: Readonly<Record<StartKind, number>>
  readonly duplicateStart: number
  readonly duplicateDelivery: number
  readonly lostAnswer: number
  readonly cancel: number
  /** Executions that a person stops without cancelling the run. */
  readonly stop: number
  /** Pauses of weeks, after which expired items are gone. */
  readonly pause: number
  readonly change: number
  readonly redeploy: number
  /** Starts that accept the deletes of their change set. */
  readonly acceptDeletes: number
  /** Snapshots that somebody deletes although the next comparison starts from them. */
  readonly deleteTip: number
  /** Comparisons that somebody starts at any time. */
  readonly compare: number
}

export type StartKind = 'execution' | 'api' | 'direct'

/** Calls of the worker that a scenario can target (see `labelOf`). */
export const targets = [
  'commit-page',
  'write-run',
  'create-run',
  'write-lease',
  'write-slot',
  'write-entity',
  'free-slot',
  'read-run',
  'read-entity',
  'query-pages',
  'query-slots',
  'put-page',
  'put-manifest',
  'put-latest',
  'put-table',
  'get-latest',
  'get-manifest',
  'list-objects',
  'delete-objects',
  'get-chain',
  'get-set',
  'get-page',
  'put-chain',
  'put-set',
  'put-part',
  'upstream',
  'publish-event',
  'compress',
  'sleep',
] as const

export function drawScenario(chance: Chance): Scenario {
  const scenario = drawFaults(chance)
  return chance.happens(0.04) ? onlyThrottling(scenario, chance) : scenario
}

/** Several ranges compete for the few scrolls that the platform allows. */
function onlyThrottling(scenario: Scenario, { integer, pick }: Chance): Scenario {
  const calm = calmed(scenario)
  const partitions = { by: 'createdIn', count: integer(2, 5) }
  return {
    ...calm,
    onlyThrottles: true,
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
        maxShrinkPercent: pick([0, 30, 30, 100]),
        allowEmpty: happens(0.3),
        totalTolerancePercent: pick([0, 1, 1, 5, 50]),
        partitions: happens(0.5) ? { by: 'createdIn', count: integer(2, 5) } : undefined,
        changes,
      }),
    ),
    maxConcurrentSyncs: names.length > 1 ? pick([1, 1, 5]) : pick([1, 5]),
    maxConcurrentScrolls: pick([1, 2, 3, 8, 8]),
    stepSeconds: pick([10, 30, 60, 300, 780]),
    wire: happens(0.05),
    compares,
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
      throttling: 0,
      pageScale: happens(0.1) ? pick([0.2, 0.5, 2]) : 1,
      live: happens(0.1),
      changes: maybe(0.5, 0.5),
      identicalDocuments: happens(0.05),
      tokenDeath: maybe(0.15, 0.05),
      outageMs: happens(0.12) ? pick([integer(10, 500), 600]) * 1000 : 0,
      rotatesKeys: happens(0.1),
    },
    workers: {
      death: maybe(0.5, 0.04),
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
      lostAnswer: maybe(0.3, 0.1),
      cancel: maybe(0.25, 0.6),
      stop: maybe(0.1, 0.5),
      pause: maybe(0.1, 0.5),
      change: compares ? 0.5 + 0.5 * chance.next() : maybe(0.5, 1),
      redeploy: maybe(0.5, compares ? 0.7 : 1),
      acceptDeletes: maybe(0.5, 1),
      deleteTip: compares ? maybe(0.1, 0.5) : 0,
      compare: compares ? maybe(0.3, 0.8) : 0,
    },
  }
}

/** The scenario after all faults have stopped. */
export function calmed(scenario: Scenario): Scenario {
  const { platform, workers, stores, drivers } = scenario
  return {
    ...scenario,
    platform: {
      ...platform,
      total: platform.total === 'missing' ? 'missing' : 'right',
      tokenLifeMs: 20 * 60_000,
      maxScrolls: 10,
      // Without a total and without a token a first page looks like the only one.
      onlyPage: platform.total === 'missing' ? 'with-token' : platform.onlyPage,
      slowest: 2_000,
      faults: 0,
      lies: 0,
      throttling: 0,
      pageScale: 1,
      live: false,
      changes: 0,
      identicalDocuments: false,
      tokenDeath: 0,
      outageMs: 0,
      rotatesKeys: false,
    },
    workers: { ...workers, death: 0, freeze: 0, skewMs: 0, clockJump: 0, target: undefined },
    stores: { ...stores, faults: 0, staleReads: 0, partialDeletes: 0, ghosts: 0 },
    drivers: {
      ...drivers,
      duplicateStart: 0,
      duplicateDelivery: 0,
      lostAnswer: 0,
      cancel: 0,
      stop: 0,
      pause: 0,
      change: 0,
      redeploy: 0,
      deleteTip: 0,
      compare: 0,
    },
  }
}

/** The platform is down for hours, and nothing else fails. */
export function longOutage(scenario: Scenario): Scenario {
  const { platform, drivers, ...calm } = calmed(scenario)
  return { ...calm, platform: { ...platform, outageMs: 600_000 }, drivers: { ...drivers, starts: 10 } }
}

/** Whether some entity is scrolled in ranges and its filters work. */
export const hasRanges = ({ entities, platform }: Scenario): boolean =>
  platform.filters === 'honest' && entities.some(({ partitions }) => partitions !== undefined)

/** Whether a scroll may lack several percent of the documents and still be published. */
export const isTolerant = ({ entities }: Scenario): boolean =>
  entities.some(({ totalTolerancePercent }) => totalTolerancePercent >= 5)
