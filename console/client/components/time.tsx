import { ageText, formatShortTime, formatTime } from '../model/format.ts'

/** A recent time of the local clock; its title is in UTC. */
export const ShortTime = ({ time }: { time: string }) => (
  <time dateTime={time} title={time}>
    {formatShortTime(time)}
  </time>
)

/** The same, with how long ago it was. */
export const When = ({ time, now }: { time: string; now: string }) => (
  <span class="when">
    <ShortTime time={time} /> <span class="facts">{ageText(time, now)}</span>
  </span>
)

/** A time of the local clock; its title is in UTC, as in ids and logs. */
export const Time = ({ time }: { time: string }) => (
  <time dateTime={time} title={time}>
    {formatTime(time)}
  </time>
)
