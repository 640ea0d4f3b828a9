import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { DocumentRow, FieldChange, RecordRow, ValueText } from '../../contract/change-sets.ts'
import { formatBytes, formatCount } from '../model/format.ts'
import { changeSides, changeText, fieldText, type RecordSide, updateText } from '../model/record.ts'
import { links } from '../model/route.ts'
import { plainId } from '../model/snapshot.ts'
import { recordTones } from '../model/tones.ts'
import { cutValue, visiblePieces } from '../model/visible-text.ts'
import { getJson } from '../request.ts'
import { Badge } from './inline.tsx'

/** The id of a document, without the quotes of a JSON string. */
const IdText = ({ id }: { id: ValueText | null }) =>
  id === null ? <em>no id</em> : <SafeText text={plainId(id)} />

const HistoryLink = ({ entity, id }: { entity: string; id: ValueText | null }) =>
  id && (
    <p>
      <a href={links.document(entity, plainId(id))}>History of this document</a>
    </p>
  )

/** A document that opens on request. */
export const DocumentItem = ({ entity, document }: { entity: string; document: DocumentRow }) => (
  <Opened entity={entity} id={document.id} content={() => <DocumentFields document={document} />}>
    <IdText id={document.id} /> <span class="facts unbroken">{formatBytes(document.bytes)}</span>
  </Opened>
)

interface OpenedProps {
  readonly entity: string
  readonly id: ValueText | null
  readonly content: () => ComponentChildren
  /** The summary. */
  readonly children: ComponentChildren
}

function Opened({ entity, id, content, children }: OpenedProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{children}</summary>
      {isOpen && content()}
      {isOpen && <HistoryLink entity={entity} id={id} />}
    </details>
  )
}

export const DocumentFields = ({ document: { fields, path } }: { document: DocumentRow }) => (
  <dl class="fields">
    {fields.map(({ name, value }) => (
      <div key={name}>
        <dt>
          <SafeText text={name} />
        </dt>
        <dd>
          <Value value={value} loadWhole={async () => fieldText(await getJson<DocumentRow>(path), name)} />
        </dd>
      </div>
    ))}
  </dl>
)

/** A record of a change set that opens on request. */
export function RecordItem({ entity, record }: { entity: string; record: RecordRow }) {
  const { kind, id, changes, path } = record
  const loadWhole = async (name: string, side: RecordSide) =>
    changeText(await getJson<RecordRow>(path), name, side)
  return (
    <Opened entity={entity} id={id} content={() => <Changes changes={changes} loadWhole={loadWhole} />}>
      <Badge tone={recordTones[kind]} text={kind} /> <IdText id={id} />{' '}
      <span class="facts">{updateText(record)}</span>
    </Opened>
  )
}

interface ChangesProps {
  readonly changes: readonly FieldChange[]
  readonly loadWhole?: (name: string, side: RecordSide) => Promise<string>
}

/** Field by field, what was before and what is after. */
export const Changes = ({ changes, loadWhole }: ChangesProps) => (
  <dl class="fields">
    {changes.map((change) => (
      <div key={change.name}>
        <dt>
          <SafeText text={change.name} />
        </dt>
        {changeSides(change).map(({ side, label, value }) => (
          <dd key={side} class={side}>
            <span class="visually-hidden">{label}: </span>
            <Value value={value} loadWhole={loadWhole && (() => loadWhole(change.name, side))} />
          </dd>
        ))}
      </div>
    ))}
  </dl>
)

/** Text of a document, whatever it contains. It is never interpreted, and hidden characters are named. */
export const SafeText = ({ text }: { text: string }) => (
  <bdi>
    {visiblePieces(text).map(({ kind, text: piece }, index) =>
      kind === 'text' ? (
        piece
      ) : (
        <span key={index} class="control-character">
          {piece}
        </span>
      ),
    )}
  </bdi>
)

interface ValueProps {
  readonly value: ValueText
  /** Reads the whole text; undefined if it cannot be read here. */
  readonly loadWhole?: (() => Promise<string>) | undefined
}

/** A value as JSON text. A long one is cut until it is asked for. */
function Value({ value: { text, length }, loadWhole }: ValueProps) {
  const [whole, setWhole] = useState<string>()
  const [isFailed, setFailed] = useState(false)
  const { shown, isCut } = cutValue({ text, length }, whole)
  const showAll = () =>
    loadWhole?.().then(setWhole, () => {
      setFailed(true)
    })
  return (
    <span class="value">
      <code>
        <SafeText text={shown} />
        {isCut && '…'}
      </code>
      {isCut && <span class="facts"> {formatCount(length)} characters </span>}
      {isCut && loadWhole && (
        <button type="button" class="quiet" onClick={() => void showAll()}>
          {isFailed ? 'Try again' : 'Show all'}
        </button>
      )}
    </span>
  )
}
