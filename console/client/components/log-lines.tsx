import type { LogRow } from '../../contract/run.ts'

/** The log lines of a run as the command line prints them, with times in UTC. */
export const LogLines = ({ lines }: { lines: readonly LogRow[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls with the keyboard
  <ol class="log-lines" tabIndex={0} aria-label="Log lines, times in UTC">
    {lines.map(({ timestamp, level, text }, index) => (
      <li key={`${timestamp} ${index}`} class={level.toLowerCase()}>
        <code>{text}</code>
      </li>
    ))}
  </ol>
)
