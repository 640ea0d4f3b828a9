import { SafeText } from './value.tsx'

/** What changed by field and value. */
export const Summary = ({ lines }: { lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <section aria-labelledby="summary">
      <h2 id="summary">What changed</h2>
      <ul class="story">
        {lines.map((line) => (
          <li key={line}>
            <SafeText text={line} />
          </li>
        ))}
      </ul>
    </section>
  )
