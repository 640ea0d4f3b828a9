import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('the engine knows each flag that the worker sets, which it would otherwise pass over', () => {
  const handler = readFileSync(new URL('../../../functions/sync/handler.ts', import.meta.url), 'utf8')
  const flags = [...handler.matchAll(/setFlagsFromString\('(--[a-z-]+)=\d+'\)/g)].map(([, flag]) => flag)
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  expect(flags).toHaveLength(2)
  for (const flag of flags) expect(known).toContain(`  ${flag} (`)
})
