import type { RefusedRow, ReviewResponse, Share } from '../../contract/review.ts'
import { ActionButton } from '../components/action-button.tsx'
import { CommandText } from '../components/copy.tsx'
import { SafeText } from '../components/document-item.tsx'
import { ErrorNotice, Notice } from '../components/notice.tsx'
import { FactsGrid, Table } from '../components/table.tsx'
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
        <p>
          <strong>
            <SafeText text={commonValue} />
          </strong>
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

const Missing = ({ data: { months, fields, sample } }: { data: ReviewResponse }) => (
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

const Shares = ({ title, shares }: { title: string; shares: readonly Share[] }) => (
  <Table
    class="shares"
    columns={[[title], ['Missing', 'number'], ['Of', 'number'], ['Share', 'number']]}
    rows={shares.map((share) => [
      share.value,
      <SafeText text={share.value} />,
      formatCount(share.missing),
      formatCount(share.before),
      <>
        {shareText(share)}
        <progress max={share.before} value={share.missing} aria-hidden="true" />
      </>,
    ])}
  />
)
