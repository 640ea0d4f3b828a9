import { afterEach, expect, it, vi } from 'vitest'
import { resolveConfig } from '../../lib/config.ts'
import type { Bundle } from '../../local/bundle.ts'
import { runSync } from '../../local/demo/sync.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { startPlatform } from '../../local/stand-in/platform.ts'
import type { RunView } from '../../stored/views.ts'
import { startStandInBundle } from '../integration/stand-in-bundle.ts'

const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

/** The first page of the first scroll is late, so that a second sync can be started in the meantime. */
async function startSlowBundle(): Promise<Bundle> {
  const platform = await startPlatform({ documents: { CL: makeDocuments(10) } })
  platform.faults.add({ match: onScroll({ page: 1 }), fault: { kind: 'slow', beforeHeadersMs: 500 } })
  const bundle = await startStandInBundle(
    resolveConfig({
      upstream: { baseUrl: 'https://shop.example.com' },
      entities: [{ name: 'CL', schedule: 'rate(1 day)' }],
    }),
    platform,
  )
  cleanUps.push(
    () => bundle.close('delete-log'),
    () => platform.close(),
  )
  return bundle
}

it('waits for a sync that is already running and then publishes its own run', async () => {
  const bundle = await startSlowBundle()
  const printed: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  const response = await fetch(`${bundle.apiUrl}/syncs/CL`, { method: 'POST' })
  const { statusUrl } = (await response.json()) as { statusUrl: string }

  const run = await runSync(bundle, 'CL')

  const other = (await (await fetch(statusUrl)).json()) as RunView
  expect([other.status, run.status]).toEqual(['published', 'published'])
  expect(run.runId > other.runId).toBe(true)
  expect(printed.join('')).toContain('Another sync of CL is running. The demo waits until it ends')
})
