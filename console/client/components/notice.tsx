import type { ComponentChildren } from 'preact'
import { fixText } from '../model/connection-state.ts'
import type { RequestError } from '../request.ts'

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
  const fix = fixText(error)
  return (
    <Notice tone="problem" title={error.message}>
      {fix && <p>{fix}</p>}
    </Notice>
  )
}

/** A page before its first response: its title, and why it cannot be shown. */
export const Pending = ({ title, error }: { title: string; error: RequestError | undefined }) => (
  <>
    <h1>{title}</h1>
    {error ? <ErrorNotice error={error} /> : <Loading />}
  </>
)

/** Until the first response arrives. It reserves the height of what follows. */
export const Loading = () => (
  <p class="loading" aria-busy="true">
    Loading…
  </p>
)
