import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { clockEnvironment } from './clock.ts'

/**
 * `npm run check -- odd-times` runs the unit tests where those fail that read the machine's time or time zone: at the end of a
 * leap day and of a day, 13 hours ahead of UTC and 11 hours behind it.
 */
const places = [
  { time: '2028-02-29T23:59:30Z', zone: 'Pacific/Tongatapu' },
  { time: '2026-03-29T10:59:30Z', zone: 'Pacific/Pago_Pago' },
] as const

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

for (const { time, zone } of places) {
  console.log(`${time}, ${zone}`)
  const clock = clockEnvironment(Date.parse(time) - Date.now())
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'unit', ...process.argv.slice(2)],
    {
      env: { ...process.env, ...clock, TZ: zone },
      stdio: 'inherit',
    },
  )
  if (status !== 0) process.exitCode = 1
}
