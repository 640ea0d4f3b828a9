import { useState } from 'preact/hooks'
import type { FindingRow, HealthResponse } from '../../contract/health.ts'
import { Badge, TextWithTimes, Time } from '../components/inline.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { alarmsText, newer, shownError, sortedFindings } from '../model/shown-findings.ts'
import { findingTones } from '../model/tones.ts'
import { getJson, type RequestError } from '../request.ts'
import { usePoll } from '../use-request.ts'

const intervalMs = 60_000
const checkingIntervalMs = 3_000

/** Alarms that are firing, and the doctor's findings with their fixes. */
export function Health() {
  const { data, error } = usePoll<HealthResponse>('/health', (last) =>
    last?.isChecking ? checkingIntervalMs : intervalMs,
  )
  const [again, setAgain] = useState<HealthResponse>()
  const [failure, setFailure] = useState<RequestError>()
  const [isChecking, setChecking] = useState(false)
  const response = newer(again, data)
  const isBusy = isChecking || !response || response.isChecking
  const shown = shownError({ failure, error }, response)

  async function checkAgain() {
    setChecking(true)
    setFailure(undefined)
    await getJson<HealthResponse>('/health?again').then(setAgain, setFailure)
    setChecking(false)
  }

  return (
    <section aria-labelledby="health">
      <div class="section-head">
        <h2 id="health">Health</h2>
        <button type="button" class="act" disabled={isBusy} onClick={() => void checkAgain()}>
          {isBusy ? 'Checking…' : 'Check again'}
        </button>
      </div>
      {shown && <ErrorNotice error={shown} />}
      {response ? (
        <Findings response={response} isOld={isBusy} />
      ) : (
        <p class="empty">Inspecting the deployment…</p>
      )}
    </section>
  )
}

/** They are old if a check that is in progress will replace them. */
function Findings({ response, isOld }: { response: HealthResponse; isOld: boolean }) {
  const { findings, alarms, checkedAt } = response
  return (
    <>
      <ul class={isOld ? 'findings old' : 'findings'}>
        {alarms?.map(({ name, description, since }) => (
          <li key={name}>
            <Badge tone="problem" text="alarm" />
            <div>
              <p>
                {name}, since <Time time={since} />
              </p>
              <p class="facts">{description}</p>
            </div>
          </li>
        ))}
        {sortedFindings(findings).map((finding) => (
          <Finding key={finding.text} finding={finding} />
        ))}
      </ul>
      <p class="facts">
        {alarmsText(alarms)} {isOld && 'Checking… These are the results of an earlier check. '}Checked at{' '}
        <Time time={checkedAt} />.
      </p>
    </>
  )
}

const Finding = ({ finding: { level, about, text, fix } }: { finding: FindingRow }) => (
  <li>
    <Badge tone={findingTones[level]} text={about} />
    <div>
      <p>
        <TextWithTimes text={text} />
      </p>
      {fix !== undefined && (
        <p class="facts">
          Fix: <code>{fix}</code>
        </p>
      )}
    </div>
  </li>
)
