import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const model = new URL('../../../../console/client/model/', import.meta.url)
const moduleAt = (name: string) => JSON.stringify(fileURLToPath(new URL(name, model)))

const program = `
  import { formatAxisTimes } from ${moduleAt('format.ts')}
  import { timeTicks } from ${moduleAt('scale.ts')}
  const [days, to] = process.argv.slice(1).map(Number)
  const range = [to - days * 86_400, to]
  console.log(JSON.stringify(formatAxisTimes(timeTicks(range, 6), range)))`

interface Axis {
  readonly zone: string
  readonly days: number
  readonly end: string
}

/** The labels of an axis in a time zone, which only a new process can change. */
function labelsOf({ zone, days, end }: Axis): string[] {
  const args = ['--input-type=module', '--eval', program, String(days), String(Date.parse(end) / 1000)]
  const env = { ...process.env, TZ: zone }
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env }))
}

const week = { days: 7, end: '2026-11-25T19:15:00Z' }
it.each<[name: string, axis: Axis, labels: string]>([
  ['in UTC', { zone: 'UTC', ...week }, 'Nov 19, Nov 21, Nov 23, Nov 25'],
  ['13 hours ahead', { zone: 'Pacific/Tongatapu', ...week }, 'Nov 21, Nov 23, Nov 25'],
  ['11 hours behind', { zone: 'Pacific/Pago_Pago', ...week }, 'Nov 19, Nov 21, Nov 23, Nov 25'],
  [
    'on a leap day',
    { zone: 'UTC', days: 5, end: '2028-03-01T23:59:00Z' },
    'Feb 26, Feb 27, Feb 28, Feb 29, Mar 1',
  ],
  [
    'when summer time begins',
    { zone: 'Europe/Berlin', days: 1, end: '2026-03-29T10:00:00Z' },
    '12:00, 18:00, 00:00, 06:00, 12:00',
  ],
  [
    'when summer time ends',
    { zone: 'Europe/Berlin', days: 5, end: '2026-10-26T10:00:00Z' },
    'Oct 22, Oct 23, Oct 24, Oct 25, Oct 26',
  ],
  [
    'where summer time begins at midnight',
    { zone: 'America/Santiago', days: 4, end: '2026-09-09T12:00:00Z' },
    'Sep 6, Sep 7, Sep 8, Sep 9',
  ],
])('an axis is labeled at full units of the local clock %s', (_, axis, labels) => {
  expect(labelsOf(axis).join(', ')).toBe(labels)
})

it('shows every time in UTC if that was chosen, and labels axes at full units of that clock', () => {
  const zoned = `
    import { formatAxisTimes, formatLogTime, formatShortTime, formatTime } from ${moduleAt('format.ts')}
    import { timeTicks } from ${moduleAt('scale.ts')}
    import { showTimesIn } from ${moduleAt('shown-zone.ts')}
    const time = '2026-11-25T19:15:02.345Z'
    const range = [Date.parse(time) / 1000 - 86_400, Date.parse(time) / 1000]
    const shown = () => [formatTime(time), formatShortTime(time), formatLogTime(time), formatAxisTimes(timeTicks(range, 6), range)[0]]
    const local = shown()
    showTimesIn('utc')
    console.log(JSON.stringify([local, shown()]))`
  const env = { ...process.env, TZ: 'Asia/Kathmandu' }
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', zoned], {
    encoding: 'utf8',
    env,
  })
  expect(JSON.parse(output)).toEqual([
    ['Nov 26, 2026, 01:00:02 GMT+5:45', 'Nov 26, 01:00:02', '01:00:02.345', '06:00'],
    ['Nov 25, 2026, 19:15:02 UTC', 'Nov 25, 19:15:02', '19:15:02.345', '00:00'],
  ])
})
