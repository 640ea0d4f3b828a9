import { pagerOf } from '../model/paging.ts'

interface PagerProps {
  /** What is paged, for screen readers. */
  readonly label: string
  /** Counts from 0. */
  readonly page: number
  readonly pages: number
  readonly onChange: (page: number) => void
}

export function Pager({ label, page, pages, onChange }: PagerProps) {
  const pager = pagerOf(page, pages)
  if (!pager) return null
  return (
    <nav class="pager" aria-label={label}>
      <button type="button" disabled={pager.isFirst} onClick={() => onChange(page - 1)}>
        Previous
      </button>
      <span>{pager.text}</span>
      <button type="button" disabled={pager.isLast} onClick={() => onChange(page + 1)}>
        Next
      </button>
    </nav>
  )
}
