import { ownFault, ProblemError } from '../http/problem.ts'
import type { Endpoint } from '../platform/endpoints.ts'
import { UnknownItemVersion } from '../state/item-version.ts'
import { CredentialsError, UpstreamFailure } from '../upstream/errors.ts'
import { answerTooLarge } from './response-rules.ts'

/** What the caller is told of an error, and what the log must hold of it beyond that. */
export function explain(error: unknown, endpoint?: Endpoint): { problem: ProblemError; logged?: unknown } {
  if (error instanceof ProblemError) return { problem: error }
  if (error instanceof CredentialsError) return { problem: credentialsProblem(error), logged: error }
  if (error instanceof UpstreamFailure && endpoint)
    return { problem: upstreamProblem(error, endpoint), logged: error }
  if (error instanceof UnknownItemVersion)
    return { problem: new ProblemError('internal-error', error.message), logged: error }
  return { problem: ownFault(), logged: error }
}

function credentialsProblem({ kind }: CredentialsError): ProblemError {
  if (kind === 'not-set') {
    const command =
      'aws secretsmanager put-secret-value --secret-id <the CredentialsSecretArn output> --secret-string \'{"appKey":"…","appToken":"…"}\''
    const detail = `Whoever runs Longshore sets them with: ${command}. Calls work 10 seconds later at the latest.`
    return new ProblemError('credentials-not-set', detail)
  }
  const detail =
    'Whoever runs Longshore finds the reason in the log. The secret must hold {"appKey":"…","appToken":"…"} and the function must be allowed to read it.'
  return new ProblemError('credentials-unreadable', detail)
}

function upstreamProblem({ kind }: UpstreamFailure, endpoint: Endpoint): ProblemError {
  switch (kind) {
    case 'unreachable':
      return new ProblemError(
        'upstream-unreachable',
        'Nothing of the request was sent, so it is safe to send it again.',
      )
    case 'interrupted':
      return new ProblemError('upstream-interrupted', ...whatNow(endpoint))
    case 'timeout':
      return new ProblemError('upstream-timeout', ...whatNow(endpoint))
    case 'too-large':
      return answerTooLarge(endpoint)
  }
}

/** What a caller may do after a request that was sent and not answered. */
function whatNow({ method, repeatable }: Endpoint): [detail: string, extensions?: { outcome: 'unknown' }] {
  if (method === 'PATCH') {
    return [
      'The outcome is unknown: the update may have been made. Look at the subscription before you send it again, since a repeated update can add its items twice.',
      { outcome: 'unknown' },
    ]
  }
  if (repeatable === 'safe') return ['Nothing was changed by it, so it is safe to send the request again.']
  return [
    'The cursor of the scroll may have moved past this page: start the scroll anew without _token, with a smaller _size if this goes on.',
  ]
}
