import { expect, it } from 'vitest'
import { environment } from '../../functions/runtime/environment.ts'
import { builtFunction } from '../../local/built-function.ts'
import { invoke } from '../../local/lambda.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { useStandInBundle } from './stand-in-bundle.ts'

useStandInBundle({}, { eraseWithinDays: 30 })

it('each of the two functions that erase records its own passes', async () => {
  const passes = async () => {
    const state = createStateStore(connectTable(process.env[environment.table] ?? ''))
    const { erasedAt, tablesErasedAt } = await state.readEntity('CL')
    return { erasedAt, tablesErasedAt }
  }
  const time = expect.stringMatching(/^\d{4}-/) as string
  const erased = { status: 'erased', entities: 1, versions: 0 }
  expect(await invoke(builtFunction('compare'), { task: 'erase' }, 900)).toMatchObject(erased)
  expect(await passes()).toEqual({ erasedAt: time, tablesErasedAt: undefined })
  expect(await invoke(builtFunction('tables'), { task: 'erase' }, 900)).toMatchObject(erased)
  expect(await passes()).toEqual({ erasedAt: time, tablesErasedAt: time })
})
