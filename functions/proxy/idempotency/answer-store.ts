import { DeleteItemCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { holds } from '../../conditional-write-store.ts'

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
export function createAnswerStore(table: string, client = new DynamoDBClient({})): AnswerStore {
  const keyOf = (id: string) => ({ pk: `idempotency#${id}`, sk: 'answer' })
  const put = (
    id: string,
    kept: KeptAnswer,
    condition: { expression: string; value: string | number; now: number },
  ) =>
    client.send(
      new PutItemCommand({
        TableName: table,
        Item: marshall(
          { ...kept, ...keyOf(id), expiresAt: Math.floor(condition.now / 1000) + keptSeconds },
          { removeUndefinedValues: true },
        ),
        ConditionExpression: condition.expression,
        ExpressionAttributeValues: marshall({ ':value': condition.value }),
      }),
    )

  return {
    async begin(id, first, now) {
      // An item may outlive its time by days before DynamoDB removes it.
      const expression = 'attribute_not_exists(pk) OR expiresAt <= :value'
      if (await holds(put(id, first, { expression, value: Math.floor(now / 1000), now }))) return undefined
      const { Item } = await client.send(
        new GetItemCommand({ TableName: table, Key: marshall(keyOf(id)), ConsistentRead: true }),
      )
      const kept = Item && (unmarshall(Item) as KeptAnswer)
      // The write may be our own, repeated by the client after its answer was lost; or it was freed just now.
      return kept?.keptBy === first.keptBy ? undefined : (kept ?? this.begin(id, first, now))
    },
    async change(id, kept, now) {
      await holds(put(id, kept, { expression: 'keptBy = :value', value: kept.keptBy, now }))
    },
    async free(id, keptBy) {
      await holds(
        client.send(
          new DeleteItemCommand({
            TableName: table,
            Key: marshall(keyOf(id)),
            ConditionExpression: 'keptBy = :keptBy',
            ExpressionAttributeValues: marshall({ ':keptBy': keptBy }),
          }),
        ),
      )
    },
  }
}
