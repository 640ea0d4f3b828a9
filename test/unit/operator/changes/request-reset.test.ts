import { expect, it } from 'vitest'
import { requestReset } from '../../../../operator/changes/request-reset.ts'

const source = {
  bucket: 'b',
  configuration: { entities: [{ name: 'CL' }] },
  entity: 'CL',
  target: { kind: 'local', path: '/local.json' },
  download: '',
} as const

it('asks for a reset of the chain that a comparison has just moved', async () => {
  const chains = ['r1', 'r2'].map((tip) => ({ value: { tip, sets: [] }, etag: tip }))
  const written: unknown[] = []
  const store = {
    readLatest: async () => chains[written.length],
    writeLatest: async (...write: unknown[]) => written.push(write) === 2,
  }
  const reset = 'An operator requested the reset.'
  expect(await requestReset(store as never, source)).toEqual({ entity: 'CL', tip: 'r2', reset })
  expect(written).toEqual(chains.map((chain) => ['CL', { ...chain.value, reset }, chain]))
})
