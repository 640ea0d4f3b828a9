import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { ScrollBehaviour } from '../../local/stand-in/scrolls/scroll-behaviour.ts'
import { calmIncrements, type IncrementTraits } from './increments/increment-traits.ts'
import type { Filters } from './platform/wrong-filters.ts'
import { calmStores, type StoreTraits } from './stores/store-traits.ts'
import { calmTables, type TableTraits } from './tables/table-traits.ts'

/**
 * How large the entities of a seed are. `many-pages`: a page is a percent of the whole or less, so that a lost one can be
 * within the tolerance. `large`: thousands of documents in few pages. `heavy`: documents of megabytes, so that change
 * sets have several parts and the comparison's files several buffers.
 */
export type Scale = 'small' | 'many-pages' | 'large' | 'heavy'

/** The conditions of a seed. Probabilities are per call, so a scenario of zeros has no faults. */
export interface Scenario {
  readonly entities: readonly EntitySettings[]
  readonly maxConcurrentSyncs: number
  readonly maxConcurrentScrolls: number
  readonly stepSeconds: number
  readonly scale: Scale
  /** Whether responses pass over a real connection to the real HTTP client. */
  readonly wire: boolean
  /** Whether publications are compared. */
  readonly compares: boolean
  /** The earlier release writes members that the current one does not know. */
  readonly release: 'earlier' | 'current'
  /** Whether nothing worse happens than throttling and what a repetition resolves: every run must publish. */
  readonly onlyThrottles: boolean
  /** The ids of two documents have the same first 64 bits of their hashes. */
  readonly collidingIds: boolean
  readonly platform: PlatformTraits
  readonly workers: WorkerTraits
  readonly stores: StoreTraits
  readonly drivers: DriverTraits
  /** Undefined in seeds without increments. */
  readonly increments?: IncrementTraits | undefined
  /** Undefined if no entity has columns. */
  readonly tables: TableTraits | undefined
}

export interface PlatformTraits
  extends Readonly<Omit<ScrollBehaviour, 'total' | 'endless' | 'filter' | 'maxPageLength'>> {
  readonly total: 'right' | 'missing' | 'slightly-wrong' | 'short-by-a-page' | 'far-off' | 'malformed'
  readonly slowest: number
  readonly faults: number
  readonly filters: Filters
  /** Collections contain identical documents without an id. */
  readonly identicalDocuments: boolean
  /** Probability per request that a document is created or deleted. */
  readonly changes: number
  /** Well-formed responses that are not true. */
  readonly lies: number
  /** Probability that a scroll's last page is lost after it was sent: with its response, or with the worker. */
  readonly lostLastPages: number
  /** Probability of a 429. */
  readonly throttling: number
  readonly earlyTokenExpiry: number
  /** Milliseconds of each ten minutes during which every request fails; 600,000 is an outage without end. */
  readonly outageMs: number
  readonly rotatesKeys: boolean
}

export interface WorkerTraits {
  readonly crash: number
  readonly freeze: number
  readonly skewMs: number
  readonly clockJump: number
  readonly maxJumpMs: number
  /** A kind of call that fails far more often than the others, and how often. */
  readonly target: { readonly label: string; readonly strike: number } | undefined
}

export interface DriverTraits {
  readonly starts: number
  readonly kinds: Readonly<Record<StartKind, number>>
  readonly duplicateStart: number
  readonly duplicateDelivery: number
  readonly lostResponse: number
  readonly cancel: number
  /** Refused runs and change sets that a person accepts. */
  readonly accept: number
  /** Executions that a person stops without cancelling the run. */
  readonly stop: number
  /** Pauses of weeks, after which expired items are gone. */
  readonly pause: number
  readonly change: number
  readonly redeploy: number
  /**
   * After this many committed pages the current release is deployed over the earlier one; undefined if it is there from
   * the start.
   */
  readonly upgradeAtPage: number | undefined
  /** Starts that accept the deletes of their change set. */
  readonly acceptDeletes: number
  /** Snapshots that a person deletes although the next comparison starts from them. */
  readonly deleteTip: number
  /** Comparisons that a person starts at any time. */
  readonly compare: number
  /** Comparisons that take minutes before they publish. */
  readonly slowCompare: number
}

export type StartKind = 'execution' | 'api' | 'direct'

/** The scenario after all faults have stopped. */
export function calmed(scenario: Scenario): Scenario {
  const { platform, workers, stores, drivers, tables, increments } = scenario
  return {
    ...scenario,
    release: 'current',
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
      lostLastPages: 0,
      throttling: 0,
      pageScale: 1,
      live: false,
      changes: 0,
      identicalDocuments: false,
      earlyTokenExpiry: 0,
      outageMs: 0,
      rotatesKeys: false,
    },
    workers: { ...workers, crash: 0, freeze: 0, skewMs: 0, clockJump: 0, target: undefined },
    stores: calmStores(stores),
    tables: tables && calmTables(tables),
    increments: increments && calmIncrements(increments),
    drivers: {
      ...drivers,
      duplicateStart: 0,
      duplicateDelivery: 0,
      lostResponse: 0,
      cancel: 0,
      accept: 0,
      stop: 0,
      pause: 0,
      change: 0,
      redeploy: 0,
      upgradeAtPage: undefined,
      deleteTip: 0,
      compare: 0,
      slowCompare: 0,
    },
  }
}

/** Whether some entity is scrolled in ranges and its filters work. */
export const hasRanges = ({ entities, platform }: Scenario): boolean =>
  platform.filters === 'honest' && entities.some(({ partitions }) => partitions !== undefined)

/** Whether a scroll may lack several percent of the documents and still be published. */
export const isTolerant = ({ entities }: Scenario): boolean =>
  entities.some(({ totalTolerancePercent }) => totalTolerancePercent >= 5)
