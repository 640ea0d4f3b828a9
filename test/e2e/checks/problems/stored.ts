import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { connectTable } from '../../../../stored/dynamodb/connect.aws.ts'
import { openTable, type StateTable } from '../../../../stored/dynamodb/state-table.ts'
import type { Key } from '../../../../stored/item-version.ts'
import type { CheckContext } from '../../context.ts'
import { region, rootCredentials } from '../../emulator.ts'
import { listKeys, readObject, removeObject, writeObject } from '../../snapshot-proof.ts'

/** What is written in place of what a deployment has stored; null removes it. */
export interface State {
  readonly items?: readonly (readonly [key: Key, item: object | null])[]
  readonly objects?: Readonly<Record<string, object | string | null>>
}

/** The state table of a deployment, as its owner reads and writes it. */
export function tableOf({ emulator, deployment, cleanUp }: CheckContext): StateTable {
  const client = new DynamoDBClient({ endpoint: emulator.url, region, credentials: rootCredentials })
  cleanUp.add(() => client.destroy())
  return openTable(connectTable(deployment.table, client))
}

/** Writes a state. Returns what was stored before. */
export async function write(context: CheckContext, { items = [], objects = {} }: State): Promise<State> {
  const table = tableOf(context)
  const before = await Promise.all(items.map(async ([key]) => [key, (await table.get(key)) ?? null] as const))
  for (const [key, item] of items) await (item ? table.put({ ...item, ...key }) : table.remove(key, {}))
  const replaced: Record<string, string | null> = {}
  for (const [key, value] of Object.entries(objects)) {
    const isStored = (await listKeys(context, key)).includes(key)
    replaced[key] = isStored ? (await readObject(context, key)).toString('latin1') : null
    if (value === null) await removeObject(context, key)
    else
      await writeObject(
        context,
        key,
        Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), 'latin1'),
      )
  }
  return { items: before, objects: replaced }
}
