import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { LambdaHandler } from '../../../local/lambda.ts'
import { RunningCalls } from '../../../local/running-calls.ts'

const context = {} as Parameters<LambdaHandler>[1]

it('waits until all calls have ended, including those that fail', async () => {
  const calls = new RunningCalls()
  const responses = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const
  const handler = calls.track((index: 0 | 1) => responses[index].promise)
  const results = Promise.allSettled([handler(0, context), handler(1, context)])
  let hasEnded = false
  const end = calls.end(60_000).then(() => {
    hasEnded = true
  })
  responses[0].resolve('done')
  await nextTurn()
  expect(hasEnded).toBe(false)
  responses[1].reject(new Error('failed'))
  await end
  expect(await results).toMatchObject([{ value: 'done' }, { reason: { message: 'failed' } }])
})

it('does not wait longer than its limit', async () => {
  const calls = new RunningCalls()
  void calls.track(() => new Promise(() => undefined))(undefined, context)
  await expect(calls.end(1)).resolves.toBeUndefined()
})

it('does not wait if nothing runs', async () => {
  const calls = new RunningCalls()
  await calls.track(async () => undefined)(undefined, context)
  await expect(calls.end(60_000)).resolves.toBeUndefined()
})
