import { expect, it } from 'vitest'
import { findItems } from '../../../../operator/purge/purge-items.ts'
import type { Read, TableClient } from '../../../../stored/dynamodb/requests.ts'

it('finds the items of an entity, of which DynamoDB returns some at a time', async () => {
  const keys = ['entity', 'run#1', 'run#2'].map((sk) => ({ pk: 'entity#CL', sk }))
  const read: TableClient['read'] = async (request: Read) => {
    const { after } = request as Extract<Read, { kind: 'query' }>
    const [item, ...rest] = keys.filter(({ sk }) => after === undefined || sk > after)
    return { items: item ? [item] : [], rest: item && rest.length > 0 ? [item] : [] }
  }
  expect(await findItems('CL', [], { read } as TableClient)).toEqual(keys)
})
