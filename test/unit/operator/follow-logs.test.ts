import { expect, it } from 'vitest'
import { followLines } from '../../../operator/sync/follow.ts'
import type { RunPeriod } from '../../../operator/sync/run-logs.ts'
import { pause } from '../../../operator/waiting.ts'
import { noPause } from '../../pauses.ts'

const start = Date.parse('2026-11-21T12:00:00Z')

/** An event of the run, this long after its start. */
function event(id: string, afterMs: number) {
  const timestamp = new Date(start + afterMs).toISOString()
  return { id, text: JSON.stringify({ timestamp, level: 'INFO', message: id, runId: 'a-run' }) }
}

/** Follows a log whose reads return these events one after the other, until they are used up. */
async function follow(...reads: readonly (readonly ReturnType<typeof event>[])[]) {
  const controller = new AbortController()
  const periods: RunPeriod[] = []
  async function read(period: RunPeriod) {
    const events = reads[periods.length] ?? []
    periods.push(period)
    if (periods.length >= reads.length) controller.abort()
    return [...events]
  }
  const options = { read, now: () => start + 3_600_000, pause: noPause, signal: controller.signal }
  const messages: string[] = []
  for await (const { message } of followLines({ runId: 'a-run', from: start }, options))
    messages.push(message)
  return { messages, from: periods.map((period) => period.from - start) }
}

it('prints a line once although later reads return it again', async () => {
  const [one, two] = [event('one', 1000), event('two', 2000)]
  expect((await follow([one], [one], [one, two], [two])).messages).toEqual(['one', 'two'])
})

it('prints two lines with the same text', async () => {
  const [one, two] = [event('one', 1000), { ...event('one', 1000), id: 'two' }]
  expect((await follow([one], [one, two])).messages).toEqual(['one', 'one'])
})

it('prints a line that appears after later ones', async () => {
  const [one, two] = [event('one', 60_000), event('two', 61_000)]
  expect((await follow([two], [one, two])).messages).toEqual(['two', 'one'])
})

it('reads on from a minute before the last line, and never from before the start', async () => {
  const { from } = await follow([event('one', 30_000)], [event('two', 200_000)], [])
  expect(from).toEqual([0, 0, 140_000])
})

it('ends without an error if a read is aborted', async () => {
  const controller = new AbortController()
  async function read() {
    controller.abort()
    controller.signal.throwIfAborted()
    return []
  }
  const options = { read, now: () => start, pause: noPause, signal: controller.signal }
  expect(await followLines({ runId: 'a-run', from: start }, options).next()).toEqual({
    done: true,
    value: undefined,
  })
})

it('ends at once if it is aborted between two reads', async () => {
  const controller = new AbortController()
  const read = async () => [event('one', 1000)]
  const options = { read, now: () => start, pause, signal: controller.signal }
  const lines = followLines({ runId: 'a-run', from: start }, options)
  expect(await lines.next()).toMatchObject({ value: { message: 'one' } })
  const next = lines.next()
  controller.abort()
  expect(await next).toEqual({ done: true, value: undefined })
})

it('fails if a read fails', async () => {
  const { signal } = new AbortController()
  const read = () => Promise.reject(new Error('denied'))
  const options = { read, now: () => start, pause: noPause, signal }
  await expect(followLines({ runId: 'a-run', from: start }, options).next()).rejects.toThrow('denied')
})
