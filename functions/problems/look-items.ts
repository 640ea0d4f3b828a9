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

/** What the last look of the freshness function found. */
export interface LastLook {
  readonly problems: readonly OpenProblem[]
  /** ISO 8601; null before the first look. */
  readonly problemsAt: string | null
}

/** Each entity has an item of its own, so that hundreds of problems fit. */
interface ProblemsItem {
  readonly problems: readonly OpenProblem[]
  /** Of the deployment's item only. */
  readonly at?: string
}

const watchedKey = { pk: 'freshness', sk: 'watched' }
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

    /** What the last look found of these entities and of the deployment as a whole. */
    async readLook(entities: readonly string[]): Promise<LastLook> {
      const [look, ...own] = await table.getAll<ProblemsItem>([lookKey, ...entities.map(problemsKey)])
      const problems = [look, ...own].flatMap((item) => item?.problems ?? [])
      return { problems, problemsAt: look?.at ?? null }
    },

    /** Stores what a look found. Of entities, only what differs from the last look. */
    async writeLook(
      entities: readonly string[],
      { problems, problemsAt, last }: LastLook & { readonly last: LastLook },
    ): Promise<void> {
      for (const entity of entities) {
        const [before, own] = [last.problems, problems].map((all) =>
          all.filter((one) => one.entity === entity),
        )
        if (!isDeepStrictEqual(before, own)) await table.put({ ...problemsKey(entity), problems: own })
      }
      const others = problems.filter(({ entity }) => entity === undefined || !entities.includes(entity))
      await table.put({ ...lookKey, problems: others, at: problemsAt })
    },
  }
}
