import { useState } from 'preact/hooks'

/** A command to run elsewhere. */
export function CommandText({ text }: { text: string }) {
  const [copied, setCopied] = useState('')
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(text))
  const label = copied === text ? 'Copied' : 'Copy'
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="quiet" aria-label={`${label}: ${text}`} onClick={() => void copy()}>
        {label}
      </button>
    </span>
  )
}
