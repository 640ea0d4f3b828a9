import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readAssets } from '../../../../console/server/assets.ts'

it('the page needs less than 100 KB of script for its first paint', () => {
  const script = readAssets().get('/console/console.js')?.body as Uint8Array
  expect(gzipSync(script).length).toBeLessThan(100_000)
  expect(gzipSync(script).length).toBeGreaterThan(20_000)
})
