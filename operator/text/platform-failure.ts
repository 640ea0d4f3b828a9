import type { UpstreamFailure } from '../../functions/upstream/errors.ts'

/** Why a call to the platform failed, in a clause without a full stop. */
export function describePlatformFailure({ kind, reason, cause }: UpstreamFailure): string {
  if (kind === 'unreachable' || kind === 'not-sent') return reason
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  const descriptions = {
    timeout: 'the platform timed out',
    interrupted: 'the connection was interrupted',
    'too-large': 'the response was too large',
  }
  return `${descriptions[kind]}${code}`
}

export const unreachableFix = 'check upstream.baseUrl in the configuration, and the network'
