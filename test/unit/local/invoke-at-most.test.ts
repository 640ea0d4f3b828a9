import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { invokeAtMost } from '../../../local/lambda.ts'

it('no more functions run at once than may, in the order of their invocations, and a failure makes room', async () => {
  const invoke = invokeAtMost(2)
  const begun: number[] = []
  const ends: PromiseWithResolvers<void>[] = []
  const handler = async (event: number) => {
    begun.push(event)
    const end = Promise.withResolvers<void>()
    ends.push(end)
    await end.promise
  }
  const invocations = [0, 1, 2, 3, 4].map((event) => invoke(handler, event, 900))
  await turn()
  expect(begun).toEqual([0, 1])
  ends[1]?.reject(new Error('It failed.'))
  await expect(invocations[1]).rejects.toThrow('It failed.')
  await turn()
  expect(begun).toEqual([0, 1, 2])
  for (const at of [0, 2, 3, 4]) {
    ends[at]?.resolve()
    await invocations[at]
    await turn()
  }
  expect(begun).toEqual([0, 1, 2, 3, 4])
  const later = invoke(handler, 5, 900)
  await turn()
  expect(begun).toContain(5)
  ends[5]?.resolve()
  await later
})
