import { ageText, formatShortTime, formatTime, shownMinute } from '../model/format.ts'

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

/** A text of the server, whose times are in UTC. */
export const TextWithTimes = ({ text }: { text: string }) => (
  <>
    {text.split(/(\d{4}-\d\d-\d\d \d\d:\d\d UTC)/).map((part, index) => {
      if (index % 2 === 0) return part
      const time = new Date(part).toISOString()
      return (
        <time key={index} dateTime={time} title={time}>
          {shownMinute(time)}
        </time>
      )
    })}
  </>
)
