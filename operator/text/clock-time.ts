/** The next time at which a clock shows `06:00`, in the time zone of this machine or in UTC; undefined for other texts. */
export function nextClockTime(text: string, now: number, zone: 'local' | 'utc'): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hours === undefined) return undefined
  const time = new Date(now)
  if (zone === 'utc') time.setUTCHours(Number(hours), Number(minutes), 0, 0)
  else time.setHours(Number(hours), Number(minutes), 0, 0)
  if (time.getTime() > now) return time.getTime()
  if (zone === 'utc') return time.setUTCDate(time.getUTCDate() + 1)
  time.setDate(time.getDate() + 1)
  // A clock that was put forward or back since then shows another hour.
  return time.setHours(Number(hours), Number(minutes))
}
