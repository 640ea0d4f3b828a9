import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, it } from 'vitest'
import { connectTable } from '../../../stored/dynamodb/connect.aws.ts'
import type { Read } from '../../../stored/dynamodb/state-table.ts'

const key = { pk: 'entity#CL', sk: 'entity' }

/** Local tables are always consistent. DynamoDB returns the newest writes only to requests that ask for it. */
it.each<[Read, object]>([
  [{ kind: 'get', key }, { ConsistentRead: true }],
  [{ kind: 'batch', keys: [key] }, { RequestItems: { table: { ConsistentRead: true } } }],
  [{ kind: 'query', pk: 'slots' }, { ConsistentRead: true }],
  [{ kind: 'query', pk: 'slots', consistent: false }, { ConsistentRead: false }],
])('a read sees the newest writes unless it does not need them: %j', async (request, sent) => {
  const inputs: object[] = []
  const client = {
    async send({ input }: { readonly input: object }) {
      inputs.push(input)
      return {}
    },
  }
  await connectTable('table', client as unknown as DynamoDBClient).read(request)
  expect(inputs).toMatchObject([sent])
})

it.each<[Read, response: object]>([
  [
    { kind: 'batch', keys: [key] },
    { Responses: { table: [] }, UnprocessedKeys: { table: { Keys: [marshall(key)] } } },
  ],
  [
    { kind: 'query', pk: key.pk },
    { Items: [], LastEvaluatedKey: marshall(key) },
  ],
])('a read tells what is left to read: %j', async (request, response) => {
  const client = { send: async () => response }
  const table = connectTable('table', client as unknown as DynamoDBClient)
  expect(await table.read(request)).toEqual({ items: [], rest: [key] })
})
