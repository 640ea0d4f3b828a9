import { expect, it } from 'vitest'
import { pollUntil } from '../../../../operator/sync/await-run.ts'

it('waits longer after each poll, up to a second', async () => {
  const pauses: number[] = []
  const { signal } = new AbortController()
  const pause = async (ms: number) => void pauses.push(ms)
  const read = async () => (pauses.length < 5 ? undefined : 'found')
  expect(await pollUntil(read, { pause, signal, interrupted: '' })).toBe('found')
  expect(pauses).toEqual([250, 500, 1000, 1000, 1000])
})
