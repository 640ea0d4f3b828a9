import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { LogRow, LogsResponse, RangeRow, RunResponse, StoryNote } from '../../contract/run.ts'
import type { EvidenceResponse } from '../../contract/snapshots.ts'
import { ActionButton } from '../components/action-button.tsx'
import { CommandText } from '../components/copy.tsx'
import { Badge, StatusBadge, TextWithTimes, Time } from '../components/inline.tsx'
import { ErrorNotice, Loading, Notice, Pending } from '../components/notice.tsx'
import { RunProgress } from '../components/run-progress.tsx'
import { FactsGrid, Table } from '../components/table.tsx'
import { setText } from '../model/entity-summary.ts'
import { formatBytes, formatCount, formatDuration, formatLogTime } from '../model/format.ts'
import { runIntervalMs, runLogsIntervalMs } from '../model/intervals.ts'
import { checkTones, phaseFacts, phasesOf, phaseTones, type ShownPhase } from '../model/phases.ts'
import { links } from '../model/route.ts'
import {
  comparisonTexts,
  durationMs,
  emptyStoryText,
  faultsText,
  hasEvidence,
  isInProgress,
} from '../model/run-facts.ts'
import { api } from '../request.ts'
import { usePoll, useRequest } from '../use-request.ts'
import { ReviewPage } from './review.tsx'

export function RunPage({ entity, runId }: { entity: string; runId: string }) {
  const { data, error, refresh } = usePoll<RunResponse>(api`/entities/${entity}/runs/${runId}`, runIntervalMs)
  if (!data) return <Pending title={`Run of ${entity}`} error={error} />
  const { run, notes, refused } = data
  const isActive = isInProgress(run)
  return (
    <>
      <div class="section-head">
        <h1>
          Run of {entity} <StatusBadge status={run.status} />
        </h1>
        <div class="actions">
          {isActive && (
            <ActionButton name="cancel" target={{ entity, runningRunId: runId }} onDone={refresh} />
          )}
        </div>
      </div>
      <p class="subtitle">{runId}</p>
      {refused && <ReviewPage entity={entity} runId={runId} refused={refused} onDone={refresh} />}
      {isActive && <RunProgress run={run} />}
      <Story notes={notes} isActive={isActive} />
      <RunPhases data={data}>
        <Facts data={data} />
        {run.partitions && <Ranges ranges={run.partitions} />}
      </RunPhases>
    </>
  )
}

function Story({ notes, isActive }: { notes: readonly StoryNote[]; isActive: boolean }) {
  return (
    <section aria-labelledby="story">
      <h2 id="story">What happened</h2>
      {notes.length === 0 && <p class="empty">{emptyStoryText(isActive)}</p>}
      <ul class="story">
        {notes.map(({ level, text }) => (
          <li key={text} class={level}>
            <TextWithTimes text={text} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Facts({ data }: { data: RunResponse }) {
  const { run, uniqueIds, requests, receivedBytes, now } = data
  const { startedAt, endedAt, documents, total, pages, attempt } = run
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Numbers</h2>
      <FactsGrid
        facts={[
          ['Started', <Time key="started" time={startedAt} />],
          ['Ended', endedAt === null ? 'not yet' : <Time key="ended" time={endedAt} />],
          ['Duration', formatDuration(durationMs(run, now))],
          ['Documents', formatCount(documents)],
          ['Reported total', total === null ? 'none' : formatCount(total)],
          ['Unique ids', uniqueIds === null ? '–' : formatCount(uniqueIds)],
          ['Pages', formatCount(pages)],
          ['Attempts', formatCount(attempt)],
          ['Requests', formatCount(requests)],
          ['Received', formatBytes(receivedBytes)],
          ['Faults', faultsText(run)],
          [
            'Evidence',
            hasEvidence(run) ? (
              <a href={links.evidence(run.entity, run.runId)}>{run.proof ?? 'refused snapshot'}</a>
            ) : (
              '–'
            ),
          ],
          ['Change set', <Comparison key="comparison" data={data} />],
        ]}
      />
    </section>
  )
}

/** The change set of the run, or why there is none. */
function Comparison({ data: { run, comparison } }: { data: RunResponse }) {
  if (comparison.kind !== 'published') return comparisonTexts[comparison.kind]
  const { set } = comparison
  return <a href={links.changeSet(run.entity, run.runId)}>{setText(set)}</a>
}

const Ranges = ({ ranges }: { ranges: readonly RangeRow[] }) => (
  <section aria-labelledby="ranges">
    <h2 id="ranges">Ranges</h2>
    <Table
      columns={[
        ['Filter'],
        ['Documents', 'number'],
        ['Total', 'number'],
        ['Attempts', 'number from-medium'],
        ['Suspect', 'from-medium'],
      ]}
      rows={ranges.map(({ where, documents, total, attempt, suspect }) => [
        where,
        <code>{where}</code>,
        formatCount(documents),
        total === null ? '–' : formatCount(total),
        attempt,
        suspect ? 'yes' : 'no',
      ])}
    />
  </section>
)

/** The phases of a run with what happened in them, and below what is between them its log lines. */
function RunPhases({ data, children }: { data: RunResponse; children: ComponentChildren }) {
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

/** What a snapshot is proven from, as plain tables that can be printed. */
export function EvidencePage({ entity, runId }: { entity: string; runId: string }) {
  const title = `Evidence of ${entity}`
  const { data, error } = useRequest<EvidenceResponse>(api`/entities/${entity}/snapshots/${runId}/evidence`)
  if (!data) return <Pending title={title} error={error} />
  const { state, text, sections } = data
  return (
    <>
      <h1>{title}</h1>
      <p class="subtitle">
        <a href={links.run(entity, runId)}>{runId}</a>
      </p>
      {sections.map((section) => (
        <section key={section.title} aria-label={section.title}>
          <h2>{section.title}</h2>
          <table class="evidence">
            <tbody>
              {section.facts.map(([name, value], index) => (
                <tr key={`${name} ${index}`}>
                  <th scope="row">{name}</th>
                  <td>
                    <bdi>{value}</bdi>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {section.reasons.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </section>
      ))}
      {state === 'intact' ? (
        <p>{text}</p>
      ) : (
        <Notice tone={state === 'damaged' ? 'problem' : 'info'} title={text} />
      )}
    </>
  )
}
