import { useState } from 'preact/hooks'
import type { ValueText } from '../../contract/documents.ts'
import { formatCount } from '../model/format.ts'
import { cutValue, visiblePieces } from '../model/visible-text.ts'

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
export function Value({ value: { text, length }, loadWhole }: ValueProps) {
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
