import { ageText, formatTime } from '../model/format.ts'

/** A time, and how long ago it was by the server's clock. */
export const Ago = ({ time, now }: { time: string; now: string }) => (
  <time dateTime={time} title={formatTime(time)}>
    {ageText(time, now)}
  </time>
)

export const Time = ({ time }: { time: string }) => <time dateTime={time}>{formatTime(time)}</time>
