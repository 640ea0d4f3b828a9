import { isDeepStrictEqual } from 'node:util'
import { absentOrAtMost, equal, openTable, type TableClient } from '../../stored/dynamodb/state-table.ts'
import type { Key } from '../../stored/item-version.ts'
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
  /** The entities that have an item with problems. */
  readonly entities: readonly string[]
}

/** Each entity has an item of its own, also one that is not configured, so that hundreds of problems fit. */
interface ProblemsItem {
  readonly problems: readonly OpenProblem[]
  /** Those of the last events, if later ones could not be sent. */
  readonly announced?: readonly OpenProblem[]
}

/** The item of the deployment. Version 1.0.0 stored there the problems of entities that are not configured. */
interface LookItem extends ProblemsItem {
  readonly at: string | null
  readonly entities?: readonly string[]
}

const watchedKey = { pk: 'freshness', sk: 'watched' }
const failuresKey = { pk: 'freshness', sk: 'alert-failures' }
const lockKey = { pk: 'freshness', sk: 'lock' }
const lookKey = { pk: 'freshness', sk: 'problems' }
const problemsKey = (entity: string): Key => ({ pk: `entity#${entity}`, sk: 'problems' })

export type LookStore = ReturnType<typeof createLookStore>

/** What looks for problems remember. */
export function createLookStore(client: TableClient) {
  const table = openTable(client)

  async function readLook(entities: readonly string[]): Promise<StoredLook> {
    const items = await table.getAll<LookItem>([lookKey, ...entities.map(problemsKey)])
    const [problems, announced] = problemsIn(items)
    const [look] = items
    return { problems, announced, problemsAt: look?.at ?? null, entities: look?.entities ?? [] }
  }

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

    /** Begins a look that has ended before `until`, in epoch milliseconds. False while another one is in progress. */
    begin: ({ now, until }: { readonly now: number; readonly until: number }): Promise<boolean> =>
      table.put({ ...lockKey, until }, { until: absentOrAtMost(now) }),

    async end(until: number): Promise<void> {
      await table.put({ ...lockKey, until: 0 }, { until: equal(until) })
    },

    /** What the last look found of these entities and of the deployment as a whole. */
    readLook,

    /** The same of these entities and of all others of which the last look found something. */
    async readWholeLook(entities: readonly string[]): Promise<StoredLook> {
      const look = await readLook(entities)
      const others = look.entities.filter((name) => !entities.includes(name))
      if (others.length === 0) return look
      const items = await table.getAll<ProblemsItem>(others.map(problemsKey))
      const [problems, announced] = problemsIn(items)
      const both = { problems: [...look.problems, ...problems], announced: [...look.announced, ...announced] }
      return { ...look, ...both }
    },

    /** Stores what a look found. Of entities, only what differs from the last look. */
    async writeLook({
      last,
      ...look
    }: Omit<StoredLook, 'entities'> & { readonly last: StoredLook }): Promise<StoredLook> {
      const namesIn = (...of: readonly (readonly OpenProblem[])[]) =>
        new Set(of.flat().flatMap(({ entity }) => entity ?? []))
      const entities = [...namesIn(look.problems, look.announced)].toSorted()
      for (const name of new Set([...entities, ...namesIn(last.problems, last.announced)])) {
        const [before, own] = [last, look].map((one) => itemOf(one, name))
        // Another version has stored it elsewhere.
        const isMoved = !last.entities.includes(name)
        if (isMoved || !isDeepStrictEqual(before, own)) await table.put({ ...problemsKey(name), ...own })
      }
      await table.put({ ...lookKey, ...itemOf(look, undefined), at: look.problemsAt, entities })
      return { ...look, entities }
    },
  }
}

function itemOf(look: Omit<StoredLook, 'entities'>, name: string | undefined): ProblemsItem {
  const isOwn = ({ entity }: OpenProblem) => entity === name
  const [problems, announced] = [look.problems.filter(isOwn), look.announced.filter(isOwn)]
  return isDeepStrictEqual(problems, announced) ? { problems } : { problems, announced }
}

function problemsIn(items: readonly (ProblemsItem | undefined)[]) {
  const found = items.flatMap((item) => item ?? [])
  return [
    found.flatMap(({ problems }) => problems),
    found.flatMap(({ problems, announced = problems }) => announced),
  ] as const
}
