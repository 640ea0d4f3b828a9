import { type RequestError, RequestFailed, Unreachable } from '../request.ts'

export type ConnectionState = 'connected' | 'lost' | 'ended'

export function connectionStateOf(error: RequestError | undefined): ConnectionState {
  if (error instanceof Unreachable) return 'lost'
  return error instanceof RequestFailed && error.status === 401 ? 'ended' : 'connected'
}

/** What resolves a failure; empty if that is not known. */
export function fixText(error: RequestError): string {
  return error instanceof RequestFailed && error.fix !== undefined ? `To fix this: ${error.fix}` : ''
}

export const connectionTexts = {
  lost: 'The console is not responding. This page may be out of date. Trying again…',
  ended: 'The session has ended. Start the console again and open the URL that it prints.',
} as const
