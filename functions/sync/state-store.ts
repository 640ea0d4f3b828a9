import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { holds } from '../conditional-write-store.ts'
import type { Lease } from './lease.ts'
import type { Latest } from './manifest.ts'
import type { CommittedPage, Position } from './page.ts'
import { type ActiveStatus, activeStatuses, hasEnded, type Run } from './run.ts'

/** Somebody else works on this run now, or it has ended: this worker must stop. */
export class Displaced extends Error {
  override readonly name = 'Displaced'
}

export interface EntityState {
  readonly lease?: Lease
  readonly latest?: Latest
  /** Runs that were left behind, whose end is yet to be settled. */
  readonly unsettled?: readonly string[]
  /** The `_size` that worked when the configured one was too much. */
  readonly pageSize?: number
}

/** The state of all syncs, in one DynamoDB table. Every write that two workers could make is conditional. */
export type StateStore = ReturnType<typeof createStateStore>

/** Finished runs and their pages stay for 30 days. */
const keptSeconds = 30 * 24 * 60 * 60

export function createStateStore(table: string, client = new DynamoDBClient({})) {
  const entityKey = (entity: string): Key => ({ pk: `entity#${entity}`, sk: 'entity' })
  const runKey = (entity: string, runId: string): Key => ({ pk: `entity#${entity}`, sk: `run#${runId}` })
  const slotKey = (slot: number): Key => ({ pk: 'slots', sk: `slot#${String(slot).padStart(3, '0')}` })
  const pagesKey = (runId: string, attempt: number) => `run#${runId}#${attempt}`

  async function get<T>(key: Key): Promise<T | undefined> {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: table, Key: marshallItem(key), ConsistentRead: true }),
    )
    return Item && (attributesOf(Item) as T)
  }

  const update = (key: Key, expressions: Expressions) =>
    client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: marshallItem(key),
        UpdateExpression: expressions.update,
        ConditionExpression: expressions.condition,
        ExpressionAttributeNames: expressions.names,
        ExpressionAttributeValues: expressions.values && marshallItem(expressions.values),
      }),
    )

  return {
    async readEntity(entity: string): Promise<EntityState> {
      return (await get<EntityState>(entityKey(entity))) ?? {}
    },

    /**
     * Replaces the lease that was seen (or its absence), and notes which runs are left to settle then. False if the
     * lease has changed since.
     */
    claimLease(
      entity: string,
      seen: Lease | undefined,
      { lease, unsettled }: { lease: Lease; unsettled: readonly string[] },
    ): Promise<boolean> {
      return holds(
        update(entityKey(entity), {
          update: 'SET #lease = :lease, #unsettled = :unsettled',
          condition: seen
            ? '#lease.#runId = :seenRun AND #lease.#worker = :seenWorker AND #lease.#until = :seenUntil'
            : 'attribute_not_exists(#lease)',
          names: {
            '#lease': 'lease',
            '#unsettled': 'unsettled',
            ...(seen && { '#runId': 'runId', '#worker': 'worker', '#until': 'until' }),
          },
          values: {
            ':lease': lease,
            ':unsettled': unsettled,
            ...(seen && { ':seenRun': seen.runId, ':seenWorker': seen.worker, ':seenUntil': seen.until }),
          },
        }),
      )
    },

    /** Notes that no run is left to settle, if the worker still has the lease. */
    async forgetUnsettled(entity: string, worker: string): Promise<void> {
      await holds(
        update(entityKey(entity), {
          update: 'REMOVE #unsettled',
          condition: '#lease.#worker = :worker',
          names: { '#unsettled': 'unsettled', '#lease': 'lease', '#worker': 'worker' },
          values: { ':worker': worker },
        }),
      )
    },

    /** Moves the lease's end, and says whether its worker goes on. Throws `Displaced` if another worker has it. */
    async renewLease(entity: string, lease: Lease): Promise<void> {
      const held = await holds(
        update(entityKey(entity), {
          update: 'SET #lease = :lease',
          condition: '#lease.#worker = :worker AND #lease.#runId = :runId',
          names: { '#lease': 'lease', '#worker': 'worker', '#runId': 'runId' },
          values: { ':lease': lease, ':worker': lease.worker, ':runId': lease.runId },
        }),
      )
      if (!held) throw new Displaced('Another worker holds the lease.')
    },

    /** Frees the entity if its lease is this run's. */
    async releaseLease(entity: string, runId: string): Promise<void> {
      await holds(
        update(entityKey(entity), {
          update: 'REMOVE #lease',
          condition: '#lease.#runId = :runId',
          names: { '#lease': 'lease', '#runId': 'runId' },
          values: { ':runId': runId },
        }),
      )
    },

    async setLatest(entity: string, latest: Latest): Promise<void> {
      await holds(
        update(entityKey(entity), {
          update: 'SET #latest = :latest',
          condition: 'attribute_not_exists(#latest) OR #latest.#runId <= :runId',
          names: { '#latest': 'latest', '#runId': 'runId' },
          values: { ':latest': latest, ':runId': latest.runId },
        }),
      )
    },

    async setPageSize(entity: string, pageSize: number): Promise<void> {
      await update(entityKey(entity), {
        update: 'SET #pageSize = :pageSize',
        names: { '#pageSize': 'pageSize' },
        values: { ':pageSize': pageSize },
      })
    },

    readRun(entity: string, runId: string): Promise<Run | undefined> {
      return get<Run>(runKey(entity, runId))
    },

    /** False if a run of this id is there already. */
    createRun(run: Run): Promise<boolean> {
      return holds(
        client.send(
          new PutItemCommand({
            TableName: table,
            Item: runItem(run),
            ConditionExpression: 'attribute_not_exists(pk)',
          }),
        ),
      )
    },

    /** Writes a run that is under way, if nobody has written it since it was read. Throws `Displaced`. */
    async writeRun(run: Run): Promise<Run> {
      const next = { ...run, revision: run.revision + 1 }
      const active = Object.fromEntries(activeStatuses.map((status, index) => [`:active${index}`, status]))
      const held = await holds(
        client.send(
          new PutItemCommand({
            TableName: table,
            Item: runItem(next),
            ConditionExpression: `#status IN (${Object.keys(active).join(', ')}) AND #revision = :revision`,
            ExpressionAttributeNames: { '#status': 'status', '#revision': 'revision' },
            ExpressionAttributeValues: marshallItem({ ...active, ':revision': run.revision }),
          }),
        ),
      )
      if (held) return next
      // The write may be our own, repeated by the client after its answer was lost.
      const there = await get<Run>(runKey(run.entity, run.runId))
      if (there?.worker === next.worker && there?.revision === next.revision) return next
      throw new Displaced('The run has ended, or another worker works on it.')
    },

    /** Ends a run from outside its worker. False if it has ended already or is in a status that is not in `from`. */
    endRun(run: Run, from: readonly ActiveStatus[]): Promise<boolean> {
      return holds(
        client.send(
          new PutItemCommand({
            TableName: table,
            // Without its worker, who must not take this write for one of its own.
            Item: runItem({ ...run, worker: undefined, revision: run.revision + 1 }),
            ConditionExpression: `#status IN (${from.map((_, index) => `:from${index}`).join(', ')})`,
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: marshallItem(
              Object.fromEntries(from.map((status, index) => [`:from${index}`, status])),
            ),
          }),
        ),
      )
    },

    /** The entity's runs, the newest first. */
    async listRuns(entity: string, limit: number): Promise<Run[]> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :run)',
          ExpressionAttributeValues: marshallItem({ ':pk': `entity#${entity}`, ':run': 'run#' }),
          ScanIndexForward: false,
          Limit: limit,
        }),
      )
      return Items.map((item) => attributesOf(item) as unknown as Run)
    },

    /** Commits a page after the one before. Throws `Displaced` if that page is committed already, by another. */
    async commitPage(run: Run, page: CommittedPage, now: number): Promise<void> {
      const key: Key = { pk: pagesKey(run.runId, run.attempt), sk: pageSortKey(page.page) }
      const committed = await holds(
        client.send(
          new PutItemCommand({
            TableName: table,
            Item: marshallItem({ ...page, ...key, expiresAt: Math.floor(now / 1000) + keptSeconds }),
            ConditionExpression: 'attribute_not_exists(pk)',
          }),
        ),
      )
      if (committed) return
      // The write may be our own, repeated by the client after its answer was lost.
      const there = await get<CommittedPage>(key)
      if (there?.key !== page.key) throw new Displaced(`Another worker committed page ${page.page}.`)
    },

    /** Where an attempt stands; undefined before its first page. */
    async lastPage(runId: string, attempt: number): Promise<Position | undefined> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: marshallItem({ ':pk': pagesKey(runId, attempt) }),
          ScanIndexForward: false,
          Limit: 1,
          ConsistentRead: true,
        }),
      )
      return Items[0] && readPage(Items[0])
    },

    /** All pages of an attempt in their order, without the mark of its end. */
    async *pages(runId: string, attempt: number): AsyncGenerator<CommittedPage> {
      let from: Record<string, AttributeValue> | undefined
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName: table,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: marshallItem({ ':pk': pagesKey(runId, attempt) }),
            ConsistentRead: true,
            ExclusiveStartKey: from,
          }),
        )
        for (const item of Items) {
          const page = readPage(item)
          if (!page.end) yield page
        }
        from = LastEvaluatedKey
      } while (from)
    },

    /** Takes or keeps one of `count` places until `until`. False if all are taken by other runs. */
    async takeSlot(
      runId: string,
      count: number,
      { now, until }: { now: number; until: number },
    ): Promise<boolean> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: marshallItem({ ':pk': 'slots' }),
          ConsistentRead: true,
        }),
      )
      const holders = new Map(
        Items.map((item) => unmarshall(item)).map((slot) => [Number(slot['slot']), slot]),
      )
      const all = Array.from({ length: count }, (_, index) => index + 1)
      const own = all.find((slot) => holders.get(slot)?.['runId'] === runId)
      for (const slot of own ? [own] : all) {
        if (!own && Number(holders.get(slot)?.['until'] ?? 0) > now) continue
        const taken = await holds(
          update(slotKey(slot), {
            update: 'SET #runId = :runId, #until = :until, #slot = :slot',
            condition: 'attribute_not_exists(#runId) OR #runId = :runId OR #until <= :now',
            names: { '#runId': 'runId', '#until': 'until', '#slot': 'slot' },
            values: { ':runId': runId, ':until': until, ':slot': slot, ':now': now },
          }),
        )
        if (taken) return true
      }
      return false
    },

    async releaseSlot(runId: string, count: number): Promise<void> {
      for (let slot = 1; slot <= count; slot++) {
        await holds(
          client.send(
            new DeleteItemCommand({
              TableName: table,
              Key: marshallItem(slotKey(slot)),
              ConditionExpression: 'runId = :runId',
              ExpressionAttributeValues: marshallItem({ ':runId': runId }),
            }),
          ),
        )
      }
    },
  }
}

interface Key {
  readonly pk: string
  readonly sk: string
}

interface Expressions {
  readonly update: string
  readonly condition?: string
  readonly names: Record<string, string>
  readonly values?: Record<string, unknown>
}

function runItem(run: Run) {
  const ended = hasEnded(run) && run.endedAt
  return marshallItem({
    ...run,
    pk: `entity#${run.entity}`,
    sk: `run#${run.runId}`,
    ...(ended && { expiresAt: Math.floor(Date.parse(ended) / 1000) + keptSeconds }),
  })
}

function marshallItem(item: object): Record<string, AttributeValue> {
  return marshall(item, { removeUndefinedValues: true })
}

function readPage(item: Record<string, AttributeValue>): CommittedPage {
  const page = attributesOf(item) as unknown as CommittedPage
  return { ...page, token: page.token, total: page.total, fingerprints: Buffer.from(page.fingerprints ?? []) }
}

function attributesOf(item: Record<string, AttributeValue>): Record<string, unknown> {
  const { pk: _pk, sk: _sk, expiresAt: _expiresAt, ...attributes } = unmarshall(item)
  return attributes
}

/** Sorts as the number does, up to a million pages; a partition would become a prefix of it. */
function pageSortKey(page: number): string {
  return `page#${String(page).padStart(6, '0')}`
}
