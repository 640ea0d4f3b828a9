interface PagerProps {
  /** What is paged, for screen readers. */
  readonly label: string
  /** Counts from 0. */
  readonly page: number
  readonly pages: number
  readonly onChange: (page: number) => void
}

export function Pager({ label, page, pages, onChange }: PagerProps) {
  if (pages <= 1) return null
  return (
    <nav class="pager" aria-label={label}>
      <button type="button" disabled={page === 0} onClick={() => onChange(page - 1)}>
        Previous
      </button>
      <span>
        Page {page + 1} of {pages}
      </span>
      <button type="button" disabled={page >= pages - 1} onClick={() => onChange(page + 1)}>
        Next
      </button>
    </nav>
  )
}
