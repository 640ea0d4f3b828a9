import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { openTable } from '../../state/table.aws.ts'

/** What is kept of a key. `running` is a request that is under way, or whose function died before `until`. */
export interface KeptAnswer {
  readonly state: 'running' | 'answered' | 'unknown'
  readonly fingerprint: string
  /** Which invocation keeps it; only that one may change it. */
  readonly keptBy: string
  /** Epoch milliseconds. */
  readonly until: number
  /** With `answered`: the answer, compressed; absent if it was too large to keep. */
  readonly answer?: Uint8Array
  /** With `answered`: the status of the answer. */
  readonly status?: number
}

export interface AnswerStore {
  /** Keeps the first request of a key. Returns undefined if this is the first, else what is kept of it. */
  begin(id: string, first: KeptAnswer, now: number): Promise<KeptAnswer | undefined>
  change(id: string, kept: KeptAnswer, now: number): Promise<void>
  free(id: string, keptBy: string): Promise<void>
}

const keptSeconds = 24 * 60 * 60

/** Answers to keyed requests in the state table, for 24 hours. */
export function createAnswerStore(tableName: string, client = new DynamoDBClient({})): AnswerStore {
  const table = openTable(tableName, client)
  const keyOf = (id: string) => ({ pk: `idempotency#${id}`, sk: 'answer' })
  const itemOf = (id: string, kept: KeptAnswer, now: number) => ({
    ...kept,
    ...keyOf(id),
    expiresAt: Math.floor(now / 1000) + keptSeconds,
  })

  return {
    async begin(id, first, now) {
      const isFirst = await table.put(itemOf(id, first, now), {
        // An item may outlive its time by days before DynamoDB removes it.
        condition: 'attribute_not_exists(pk) OR expiresAt <= :now',
        values: { ':now': Math.floor(now / 1000) },
      })
      if (isFirst) return undefined
      const kept = await table.get<KeptAnswer>(keyOf(id))
      // The write may be our own, repeated by the client after its answer was lost; or it was freed just now.
      return kept?.keptBy === first.keptBy ? undefined : (kept ?? this.begin(id, first, now))
    },
    async change(id, kept, now) {
      await table.put(itemOf(id, kept, now), {
        condition: 'keptBy = :keptBy',
        values: { ':keptBy': kept.keptBy },
      })
    },
    async free(id, keptBy) {
      await table.remove(keyOf(id), { condition: 'keptBy = :keptBy', values: { ':keptBy': keptBy } })
    },
  }
}
