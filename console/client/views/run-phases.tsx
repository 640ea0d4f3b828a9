import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { LogRow, LogsResponse, RunResponse } from '../../contract/run.ts'
import { Badge } from '../components/badge.tsx'
import { CommandText } from '../components/copy.tsx'
import { ErrorNotice, Loading } from '../components/notice.tsx'
import { Time } from '../components/time.tsx'
import { formatLogTime } from '../model/format.ts'
import { runLogsIntervalMs } from '../model/intervals.ts'
import { checkTones, phaseFacts, phasesOf, phaseTones, type ShownPhase } from '../model/phases.ts'
import { api } from '../request.ts'
import { usePoll } from '../use-request.ts'

/** The phases of a run with what happened in them, and below what is between them its log lines. */
export function RunPhases({ data, children }: { data: RunResponse; children: ComponentChildren }) {
  const { run, logsCommand, executionUrl } = data
  const { entity, runId, status } = run
  const intervalMs = () => runLogsIntervalMs(data)
  const logs = usePoll<LogsResponse>(api`/entities/${entity}/runs/${runId}/logs`, intervalMs)
  useEffect(() => logs.refresh(), [status, data.comparison.kind])
  const lines = logs.data?.lines ?? []
  return (
    <>
      <section aria-labelledby="phases">
        <h2 id="phases">Phases</h2>
        <ol class="phases">
          {phasesOf(data, lines).map((phase) => (
            <PhaseItem key={phase.name} phase={phase} />
          ))}
        </ol>
      </section>
      {children}
      <section aria-labelledby="logs">
        <h2 id="logs">Logs</h2>
        {logs.error && <ErrorNotice error={logs.error} />}
        {!logs.data && !logs.error && <Loading />}
        {logs.data && lines.length === 0 && <p class="empty">No log line has arrived yet.</p>}
        {lines.length > 0 && <LogLines lines={lines} />}
        <p>
          <CommandText text={logsCommand} />
        </p>
        {executionUrl && (
          <p>
            <a href={executionUrl} target="_blank" rel="noreferrer">
              Execution in the AWS console
            </a>
          </p>
        )}
      </section>
    </>
  )
}

const PhaseItem = ({ phase }: { phase: ShownPhase }) => (
  <li class="phase">
    <p class="phase-head">
      <Badge tone={phaseTones[phase.state]} text={phase.state} /> <strong>{phase.name}</strong>{' '}
      <span class="facts">{phaseFacts(phase)}</span>
    </p>
    {phase.checks.length > 0 && (
      <ul class="phase-checks">
        {phase.checks.map((check) => (
          <li key={check.name}>
            <Badge tone={checkTones[check.state]} text={check.state} /> {check.name}{' '}
            <span class="facts">{check.detail}</span>
          </li>
        ))}
      </ul>
    )}
    {phase.events.length > 0 && (
      <ul class="phase-events">
        {phase.events.map(({ timestamp, reason }, index) => (
          <li key={`${timestamp} ${index}`}>
            <Time time={timestamp} /> {reason}
          </li>
        ))}
      </ul>
    )}
  </li>
)

/** The log lines of a run as the command line prints them. */
const LogLines = ({ lines }: { lines: readonly LogRow[] }) => (
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
