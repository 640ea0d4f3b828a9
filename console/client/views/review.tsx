import type { RefusedRow, ReviewResponse, Share } from '../../contract/review.ts'
import { ActionButton } from '../components/action-button.tsx'
import { CommandText } from '../components/copy.tsx'
import { FactsGrid } from '../components/facts-grid.tsx'
import { ErrorNotice, Notice } from '../components/notice.tsx'
import { TableHead } from '../components/table-head.tsx'
import { SafeText } from '../components/value.tsx'
import { formatCount } from '../model/format.ts'
import { commonValueText, refusalTitles, shareText, shownSample } from '../model/refusal-texts.ts'
import { reviewPath } from '../model/review-path.ts'
import { useRequest } from '../use-request.ts'

interface ReviewProps {
  readonly entity: string
  readonly runId: string
  readonly refused: RefusedRow
  readonly onDone: () => void
}

/** What a guard refused, what publishing it would take away, and the decision. */
export function ReviewPage({ entity, runId, refused, onDone }: ReviewProps) {
  const { guard, reason, reviewCommand, acceptCommand } = refused
  const { data, error } = useRequest<ReviewResponse>(reviewPath(entity, runId, guard))
  return (
    <section aria-labelledby="review">
      <h2 id="review">Review</h2>
      <Notice tone="problem" title={refusalTitles[guard]}>
        <p>{reason}</p>
      </Notice>
      {error && <ErrorNotice error={error} />}
      {!data && !error && <p class="empty">Reading both snapshots…</p>}
      {data && <Summary data={data} />}
      {data && (
        <div class="actions">
          <ActionButton
            name="accept"
            target={{
              entity,
              runId,
              refusal: { guard: data.guard, refusedAt: data.refusedAt },
              mayAcceptChanges: data.isAcceptableWithChanges,
            }}
            onDone={onDone}
          />
        </div>
      )}
      {!error && (
        <>
          <CommandText text={reviewCommand} />
          <CommandText text={acceptCommand} />
        </>
      )}
      {data && <Missing data={data} />}
    </section>
  )
}

/** What a person decides by, before the evidence. */
function Summary({ data }: { data: ReviewResponse }) {
  const { before, after, missing, created } = data
  const commonValue = commonValueText(data)
  return (
    <>
      {commonValue !== undefined && (
        <p class="common-value">
          <SafeText text={commonValue} />
        </p>
      )}
      <FactsGrid
        facts={[
          ['Documents before', formatCount(before)],
          ['Documents after', formatCount(after)],
          ['Missing', formatCount(missing)],
          ['New', formatCount(created)],
        ]}
      />
      <p class="facts">Until it is accepted, readers keep what they have.</p>
    </>
  )
}

function Missing({ data: { months, fields, sample } }: { data: ReviewResponse }) {
  return (
    <>
      {fields.map(({ field, values }) => (
        <Shares key={field} title={field} shares={values} />
      ))}
      {months.length > 0 && <Shares title="Month of createdIn" shares={months} />}
      {sample.length > 0 && (
        <>
          <h3>Some of the missing documents</h3>
          <ul class="sample">
            {shownSample(sample).map((text) => (
              <li key={text}>
                <code>
                  <SafeText text={text} />
                </code>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

const Shares = ({ title, shares }: { title: string; shares: readonly Share[] }) => (
  <table class="shares">
    <TableHead columns={[[title], ['Missing', 'number'], ['Of', 'number'], ['Share', 'number']]} />
    <tbody>
      {shares.map((share) => (
        <tr key={share.value}>
          <th scope="row">
            <SafeText text={share.value} />
          </th>
          <td class="number">{formatCount(share.missing)}</td>
          <td class="number">{formatCount(share.before)}</td>
          <td class="number">
            {shareText(share)}
            <svg class="bar" aria-hidden="true">
              <rect width={shareText(share)} height="100%" />
            </svg>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
