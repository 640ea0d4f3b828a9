import type { RunStatus } from '../../contract/run.ts'
import { ageText, formatShortTime, formatTime, shownMinute } from '../model/format.ts'
import { type SnapshotBadge, statusTones, type Tone } from '../model/tones.ts'

/** A time in the zone that is shown; its title is in UTC, as in ids and logs. */
const timeIn =
  (format: (time: string) => string) =>
  ({ time }: { time: string }) => (
    <time dateTime={time} title={time}>
      {format(time)}
    </time>
  )

export const Time = timeIn(formatTime)
const Minute = timeIn(shownMinute)
export const ShortTime = timeIn(formatShortTime)

/** A recent time, with how long ago it was. */
export const When = ({ time, now }: { time: string; now: string }) => (
  <span class="when">
    <ShortTime time={time} /> <span class="facts">{ageText(time, now)}</span>
  </span>
)

/** A text of the server, whose times are in UTC. */
export const TextWithTimes = ({ text }: { text: string }) => (
  <>
    {text
      .split(/(\d{4}-\d\d-\d\d \d\d:\d\d UTC)/)
      .map((part, index) =>
        index % 2 === 0 ? part : <Minute key={index} time={new Date(part).toISOString()} />,
      )}
  </>
)

export const Badge = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`badge ${tone}`}>{text}</span>
)

/** The age follows the state, which is what a narrow column shows. */
export const SnapshotState = ({ state: { tone, text, age } }: { state: SnapshotBadge }) => (
  <>
    <Badge tone={tone} text={text} /> <span class="facts">{age}</span>
  </>
)

export const StatusBadge = ({ status }: { status: RunStatus }) => (
  <Badge tone={statusTones[status]} text={status} />
)
