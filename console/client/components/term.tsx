import { useId } from 'preact/hooks'
import { meaningOf } from '../model/glossary.ts'

/** A word that explains itself on hover and focus, if it needs that. */
export function Term({ word }: { word: string }) {
  const id = useId()
  const meaning = meaningOf(word)
  if (meaning === undefined) return <>{word}</>
  return (
    <span class="term">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard shows the meaning */}
      <span tabIndex={0} aria-describedby={id}>
        {word}
      </span>
      <span id={id} role="tooltip">
        {meaning}
      </span>
    </span>
  )
}

/** Words that are separated by commas. */
export const Terms = ({ text }: { text: string }) => (
  <>
    {text.split(', ').map((word, index) => (
      <>
        {index > 0 && ', '}
        <Term key={word} word={word} />
      </>
    ))}
  </>
)
