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

/** Shown in place of data that could not be read. */
export function ErrorNotice({ error }: { error: RequestError }) {
  const fix = error instanceof RequestFailed ? error.fix : undefined
  return (
    <Notice tone="problem" title={error.message}>
      {fix !== undefined && <p>To fix this: {fix}</p>}
    </Notice>
  )
}

/** Until the first answer arrives. It reserves the height of what follows. */
export const Loading = () => (
  <p class="loading" aria-busy="true">
    Loading…
  </p>
)
