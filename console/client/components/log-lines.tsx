import type { LogRow } from '../../contract/run.ts'
import { formatLogTime } from '../model/format.ts'

/** The log lines of a run as the command line prints them. */
export const LogLines = ({ lines }: { lines: readonly LogRow[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls with the keyboard
  <ol class="log-lines" tabIndex={0} aria-label="Log lines">
    {lines.map(({ timestamp, level, text }, index) => (
      <li key={`${timestamp} ${index}`} class={level.toLowerCase()}>
        <code>
          {formatLogTime(timestamp)} {text}
        </code>
      </li>
    ))}
  </ol>
)
