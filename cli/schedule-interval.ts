const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * The longest time that a schedule lets pass between two starts: exact for `rate(…)`; for `cron(…)` the time after
 * which its coarsest field comes round again, which is never too short.
 */
export function longestIntervalMs(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? []
  if (count) return Number(count) * ({ minute: minuteMs, hour: hourMs, day: dayMs }[unit] ?? dayMs)
  const [minutes = '*', hours = '*', dayOfMonth = '*', month = '*', dayOfWeek = '*', year = '*'] = expression
    .replace(/^cron\(|\)$/g, '')
    .split(' ')
  const isAny = (field: string) => field === '*' || field === '?'
  if (!isAny(year)) return Infinity
  if (!isAny(month)) return 366 * dayMs
  if (!isAny(dayOfMonth)) return 31 * dayMs
  if (!isAny(dayOfWeek)) return 7 * dayMs
  if (!isAny(hours)) return dayMs
  return isAny(minutes) ? minuteMs : hourMs
}
