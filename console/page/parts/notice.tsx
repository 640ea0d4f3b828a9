import type { ComponentChildren } from 'preact'
import { type RequestError, RequestFailed } from '../request.ts'

interface NoticeProps {
  readonly tone: 'info' | 'warning' | 'problem'
  readonly title: string
  readonly children?: ComponentChildren
}

export const Notice = ({ tone, title, children }: NoticeProps) => (
  <div class={`notice ${tone}`}>
    <p class="notice-title">{title}</p>
    {children}
  </div>
)

/** What stands in for data that could not be read. Lost connections have a banner of their own. */
export function ErrorNotice({ error }: { error: RequestError }) {
  const fix = error instanceof RequestFailed ? error.fix : undefined
  return (
    <Notice tone="problem" title={error.message}>
      {fix !== undefined && <p>To fix this: {fix}</p>}
    </Notice>
  )
}

/** The first answer is on its way. It takes the height of what follows. */
export const Loading = () => (
  <p class="loading" aria-busy="true">
    Loading…
  </p>
)
