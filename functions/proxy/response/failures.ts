import { UnknownVersion } from '../../../stored/unknown-version.ts'
import { internalError, ProblemError } from '../../http/result.ts'
import type { Endpoint } from '../../platform/endpoints.ts'
import { sentence } from '../../runtime/format.ts'
import { CredentialsError, UpstreamFailure } from '../../upstream/exchange.ts'
import { responseTooLarge } from './relay.ts'

/** It is unknown whether the platform applied the first request with an idempotency key. */
export class OutcomeUnknown extends Error {}

/** The problem that the caller receives for an error, and what the log records in addition. */
export function explain(error: unknown, endpoint?: Endpoint): { problem: ProblemError; logged?: unknown } {
  if (error instanceof ProblemError) return { problem: error, logged: error.cause }
  if (error instanceof CredentialsError) return { problem: credentialsProblem(error), logged: error }
  if (error instanceof OutcomeUnknown && endpoint) {
    const detail = `It is unknown whether the platform applied the first request with this Idempotency-Key. ${endpoint.withoutResponse}. If the update is missing, send it with a new key.`
    return { problem: new ProblemError('idempotency-outcome-unknown', detail, { outcome: 'unknown' }) }
  }
  if (error instanceof UpstreamFailure && endpoint)
    return { problem: upstreamProblem(error, endpoint), logged: error }
  if (error instanceof UnknownVersion)
    return { problem: new ProblemError('internal-error', error.message), logged: error }
  return { problem: internalError(), logged: error }
}

function credentialsProblem({ kind }: CredentialsError): ProblemError {
  if (kind === 'not-set') {
    const command =
      'aws secretsmanager put-secret-value --secret-id <the CredentialsSecretArn output> --secret-string \'{"appKey":"…","appToken":"…"}\''
    const detail = `The operator of Longshore sets them with: ${command}. They take effect within 10 seconds.`
    return new ProblemError('credentials-not-set', detail)
  }
  const detail =
    'The operator of Longshore finds the reason in the log. The secret must be {"appKey":"…","appToken":"…"}, and the function must be allowed to read it.'
  return new ProblemError('credentials-unreadable', detail)
}

function upstreamProblem({ kind, reason }: UpstreamFailure, endpoint: Endpoint): ProblemError {
  switch (kind) {
    case 'not-sent':
      return new ProblemError(
        'request-not-sent',
        'Reading the credentials or the Idempotency-Key took too long, so nothing was sent to the platform. Send the request again.',
      )
    case 'unreachable':
      return new ProblemError(
        'upstream-unreachable',
        // Callers are not told the port.
        `${sentence(reason.replaceAll(/:\d{1,5}\b/g, ''))} Nothing was sent to the platform, so it is safe to send the request again.`,
      )
    case 'interrupted':
      return new ProblemError('upstream-interrupted', ...nextStep(endpoint))
    case 'unreadable': {
      const [detail, extensions] = nextStep(endpoint)
      return new ProblemError('upstream-response-unusable', `${sentence(reason)} ${detail}`, extensions)
    }
    case 'timeout':
      return new ProblemError('upstream-timeout', ...nextStep(endpoint))
    case 'too-large':
      return responseTooLarge(endpoint)
  }
}

/** What a caller can do after a request that was sent and got no response. */
function nextStep(endpoint: Endpoint): [detail: string, extensions?: { outcome: 'unknown' }] {
  const { method, repeatable, withoutResponse } = endpoint
  if (method === 'PATCH') {
    const detail = `The outcome is unknown: the update may have been applied. ${withoutResponse} before you send it again, because a repeated update can add its items twice.`
    return [detail, { outcome: 'unknown' }]
  }
  if (repeatable === 'safe') return ['The request changes nothing, so it is safe to send it again.']
  return [
    'The cursor of the scroll may have moved past this page. Start a new scroll without _token, and use a smaller _size if this happens again.',
  ]
}
