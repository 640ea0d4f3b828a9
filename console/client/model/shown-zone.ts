/** The time zone of every time that the page shows: that of the browser, or UTC as in ids and in the log. */
export type ShownZone = 'local' | 'utc'

let shown: ShownZone = 'local'

export const shownZone = () => shown

/** What is shown already keeps its zone until it is drawn again. */
export function showTimesIn(zone: ShownZone): void {
  shown = zone
}

/** A format in the zone that is shown. */
export function zonedFormat(options: Intl.DateTimeFormatOptions) {
  const local = new Intl.DateTimeFormat('en', options)
  const utc = new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' })
  return { format: (time: number) => (shown === 'utc' ? utc : local).format(time) }
}
