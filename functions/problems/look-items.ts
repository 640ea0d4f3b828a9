import { isDeepStrictEqual } from 'node:util'
import type { TableClient } from '../state/dynamodb/requests.ts'
import { openTable } from '../state/dynamodb/state-table.ts'
import type { Key } from '../state/item-version.ts'
import type { OpenProblem } from './problem-events.ts'

/** When each schedule was first seen, by the entity's name. Times are ISO 8601 in UTC. */
export type WatchedSince = Readonly<Record<string, { readonly schedule: string; readonly since: string }>>

/** What is watched of an entity. No entity can have a name with such an end. */
const nameEnds = { full: '', increment: '#increments', erasure: '#erasure' } as const
type Watch = keyof typeof nameEnds

export const watchedName = (entity: string, watch: Watch) => `${entity}${nameEnds[watch]}`

/** When the schedules of an entity, and `eraseWithinDays`, were first seen. */
export type EntityWatched = Readonly<Record<Watch, string | undefined>>

export function watchedOf(watched: WatchedSince, entity: string): EntityWatched {
  const since = (watch: Watch) => watched[watchedName(entity, watch)]?.since
  return { full: since('full'), increment: since('increment'), erasure: since('erasure') }
}

/** A receiver of alerts to which something could not be delivered. */
export interface AlertFailure {
  /** `alerts[0] (slack)`. */
  readonly receiver: string
  /** ISO 8601. */
  readonly since: string
  /** A sentence. */
  readonly reason: string
}

/** What the last look of the freshness function found. */
export interface LastLook {
  readonly problems: readonly OpenProblem[]
  /** ISO 8601; null before the first look. */
  readonly problemsAt: string | null
}

/** A look, and the problems of the last events. The next events are about what has changed since. */
export interface StoredLook extends LastLook {
  readonly announced: readonly OpenProblem[]
}

/** Each entity has an item of its own, so that hundreds of problems fit. */
interface ProblemsItem {
  readonly problems: readonly OpenProblem[]
  /** Those of the last events, if later ones could not be sent. */
  readonly announced?: readonly OpenProblem[]
  /** Of the deployment's item only. */
  readonly at?: string
}

const watchedKey = { pk: 'freshness', sk: 'watched' }
const failuresKey = { pk: 'freshness', sk: 'alert-failures' }
const lookKey = { pk: 'freshness', sk: 'problems' }
const problemsKey = (entity: string): Key => ({ pk: `entity#${entity}`, sk: 'problems' })

export type LookStore = ReturnType<typeof createLookStore>

/** What looks for problems remember. */
export function createLookStore(client: TableClient) {
  const table = openTable(client)
  return {
    async readWatched(): Promise<WatchedSince> {
      return (await table.get<{ watched: WatchedSince }>(watchedKey))?.watched ?? {}
    },

    async writeWatched(watched: WatchedSince): Promise<void> {
      await table.put({ ...watchedKey, watched })
    },

    async readAlertFailures(): Promise<readonly AlertFailure[]> {
      return (await table.get<{ failures: readonly AlertFailure[] }>(failuresKey))?.failures ?? []
    },

    async writeAlertFailures(failures: readonly AlertFailure[]): Promise<void> {
      await table.put({ ...failuresKey, failures })
    },

    /** What the last look found of these entities and of the deployment as a whole. */
    async readLook(entities: readonly string[]): Promise<StoredLook> {
      const [look, ...own] = await table.getAll<ProblemsItem>([lookKey, ...entities.map(problemsKey)])
      const items = [look, ...own].flatMap((item) => item ?? [])
      return {
        problems: items.flatMap(({ problems }) => problems),
        announced: items.flatMap(({ problems, announced = problems }) => announced),
        problemsAt: look?.at ?? null,
      }
    },

    /** Stores what a look found. Of entities, only what differs from the last look. */
    async writeLook(
      entities: readonly string[],
      { last, ...look }: StoredLook & { readonly last: StoredLook },
    ): Promise<void> {
      for (const name of entities) {
        const [before, own] = [last, look].map((one) => itemOf(one, ({ entity }) => entity === name))
        if (!isDeepStrictEqual(before, own)) await table.put({ ...problemsKey(name), ...own })
      }
      const others = itemOf(look, ({ entity }) => entity === undefined || !entities.includes(entity))
      await table.put({ ...lookKey, ...others, at: look.problemsAt })
    },
  }
}

function itemOf(look: StoredLook, isOwn: (problem: OpenProblem) => boolean): ProblemsItem {
  const [problems, announced] = [look.problems.filter(isOwn), look.announced.filter(isOwn)]
  return isDeepStrictEqual(problems, announced) ? { problems } : { problems, announced }
}
