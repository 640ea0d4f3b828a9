import { type RequestError, RequestFailed, Unreachable } from '../request.ts'

/** How the requests go whose data is shown, and what to do about it. */
export interface ConnectionState {
  readonly kind: 'connected' | 'lost' | 'ended' | 'failing'
  /** Empty while connected. */
  readonly text: string
}

/** What counts is the worst of the requests that fail. */
export function connectionStateOf(failures: readonly RequestError[]): ConnectionState {
  const ended = failures.some((error) => error instanceof RequestFailed && error.status === 401)
  if (ended) return { kind: 'ended', text: texts.ended }
  if (failures.some((error) => error instanceof Unreachable)) return { kind: 'lost', text: texts.lost }
  const [failure] = failures
  if (!failure) return { kind: 'connected', text: '' }
  const why = [failure.message, fixText(failure).replace(/[^.]$/, '$&.')].filter(Boolean)
  return { kind: 'failing', text: [...why, texts.failing].join(' ') }
}

/** A refusal is shown in place of data that has never arrived, and above data that may be out of date. */
export const isShownAbove = (error: RequestError, hasData: boolean): boolean =>
  hasData || connectionStateOf([error]).kind !== 'failing'

/** What resolves a failure; empty if that is not known. */
export function fixText(error: RequestError): string {
  return error instanceof RequestFailed && error.fix !== undefined ? `To fix this: ${error.fix}` : ''
}

const texts = {
  lost: 'The console is not responding. This page may be out of date. Trying again…',
  ended: 'The session has ended. Start the console again and open the URL that it prints.',
  failing: 'This page may be out of date. Trying again…',
} as const
