import { expect, it } from 'vitest'
import type { Read, TableClient } from '../../../../stored/dynamodb/state-table.ts'
import { readItems } from '../../../../stored/inventory/stored-items.ts'

it('has the items of an entity, of which DynamoDB returns some at a time, and why each stays', async () => {
  const stored = [
    { sk: 'entity' },
    { sk: 'increment#1', expiresAt: 60 },
    { sk: 'run#2', execution: 'arn' },
  ].map((item) => ({ pk: 'entity#CL', ...item }))
  const read: TableClient['read'] = async (request: Read) => {
    const { after } = request as Extract<Read, { kind: 'query' }>
    const [item, ...rest] = stored.filter(({ sk }) => after === undefined || sk > after)
    return { items: item ? [item] : [], rest: item && rest.length > 0 ? [item] : [] }
  }
  const items = await readItems({ read } as TableClient, 'CL', [])
  expect(items.map(({ key, owner, reasons, execution }) => [key.sk, owner, reasons[0], execution])).toEqual([
    ['entity', 'state', { kind: 'pointer', until: undefined }, undefined],
    ['increment#1', 'run', { kind: 'record', until: 60_000 }, undefined],
    ['run#2', 'run', { kind: 'in-progress', until: undefined }, 'arn'],
  ])
})
