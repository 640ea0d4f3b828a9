import { ProblemError } from '../functions/http/result.ts'
import { CredentialsError, UpstreamFailure } from '../functions/upstream/exchange.ts'
import { doubtfulProxy, proxyFailure } from '../functions/upstream/internet-proxy.ts'
import { ConfigurationError } from '../lib/config.ts'
import { UnknownVersion } from '../stored/unknown-version.ts'
import { UnreadableObject } from '../stored/unreadable-object.ts'
import { explainFileError, findFileFailure } from './file-errors.ts'

/** The operation failed; `fix` is the command or action that resolves it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly fix: string | undefined

  constructor(message: string, { fix, cause }: { fix?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.fix = fix
  }
}

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Ctrl-C, SIGTERM or SIGHUP; the message states what was left behind. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** A check could not look at what it checks, for the reason that its cause has. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked'
}

export interface Failure {
  readonly kind: 'usage' | 'interrupted' | 'problem' | 'unknown'
  readonly message: string
  readonly fix?: string | undefined
}

/** What to print for an error: what happened, why, and what to do next, without a stack trace. */
export function failureOf(error: unknown): Failure {
  const kind = 'problem'
  if (error instanceof Interrupted) return { kind: 'interrupted', message: error.message }
  if (error instanceof UsageError || error instanceof ConfigurationError)
    return { kind: 'usage', message: error.message }
  if (error instanceof NotChecked) {
    const failure = failureOf(error.cause)
    return failure.kind === 'problem' ? { ...failure, kind: 'unknown' } : failure
  }
  if (error instanceof CommandError) return { kind, message: error.message, fix: error.fix }
  if (error instanceof DamagedData) return { kind, message: error.message, fix: damageFix }
  if (error instanceof UnknownVersion || error instanceof UnreadableObject)
    return { kind, message: error.problem, fix: error.fix }
  if (error instanceof ProblemError || error instanceof CredentialsError)
    return { kind, message: withCause(error.message, error) }
  if (error instanceof UpstreamFailure) {
    const message = `The call to the platform failed: ${error.reason}.`
    return error.sent ? { kind, message } : { kind, message, fix: unreachableFix }
  }
  return { kind, ...explain(error) }
}

/** What to throw if a file could not be read or written, which is named as the person did. Other errors stay as they are. */
const fileError =
  (action: 'read' | 'write') =>
  (file: string, cause: unknown): unknown => {
    const failure = findFileFailure(cause)
    return failure
      ? new CommandError(`Cannot ${action} ${file}: ${failure.reason}.`, { fix: failure.fix, cause })
      : cause
  }

export const readError = fileError('read')
export const writeError = fileError('write')

const withCause = (message: string, { cause }: Error): string =>
  cause === undefined ? message : `${message} ${explain(cause).message}`

export const unreachableFix = 'check upstream.baseUrl in the configuration, and the network'

const damageFix =
  'restore an older version (longshore verify ENTITY --repair), or start a sync, which publishes an intact snapshot'

const checkProxy = 'check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY'

const signIn = 'set AWS_PROFILE, or sign in again (aws sso login)'

/** Errors of the AWS SDK and the network by name or code, which are stable; their messages are not. */
const knownErrors: Readonly<Record<string, { readonly message: string; readonly fix: string }>> = {
  ExpiredToken: { message: 'The AWS credentials have expired.', fix: signIn },
  ExpiredTokenException: { message: 'The AWS credentials have expired.', fix: signIn },
  InvalidClientTokenId: { message: 'AWS rejected the credentials: unknown access key.', fix: signIn },
  UnrecognizedClientException: { message: 'AWS rejected the credentials: unknown access key.', fix: signIn },
  ECONNREFUSED: {
    message: 'Cannot reach AWS (or npm start, or the endpoint in AWS_ENDPOINT_URL): connection refused.',
    fix: 'check AWS_ENDPOINT_URL and the network; with --local, check that npm start is running',
  },
  TimeoutError: { message: 'AWS did not respond in time.', fix: 'check the network and try again' },
  ENOTFOUND: {
    message: 'Cannot reach AWS (or the endpoint in AWS_ENDPOINT_URL): host not found.',
    fix: 'check AWS_REGION, AWS_ENDPOINT_URL and the network',
  },
}

const networkErrors: ReadonlySet<string> = new Set(['TimeoutError', 'ENOTFOUND'])

const accessDenied = /^(AccessDenied|AccessDeniedException|UnauthorizedOperation)$/

export const isAccessDenied = (error: unknown): boolean =>
  error instanceof Error && accessDenied.test(error.name)

/** The SDK knows why, except that it does not name a profile that does not exist. */
function credentialsFailure({ message }: Error): { message: string; fix: string } {
  const profile = process.env['AWS_PROFILE']
  const source = profile ? ` for the profile ${profile}` : ''
  return { message: `Cannot load AWS credentials${source}: ${message.replace(/\.?$/, '.')}`, fix: signIn }
}

function explain(error: unknown): { message: string; fix?: string } {
  if (!(error instanceof Error)) return { message: String(error) }
  const proxy = proxyFailure(error)
  if (proxy !== undefined) return { message: `Cannot reach AWS: ${proxy}.`, fix: checkProxy }
  const code = 'code' in error ? String(error.code) : ''
  const row = knownErrors[error.name] ?? knownErrors[code]
  const doubtful = [error.name, code].some((name) => networkErrors.has(name)) ? doubtfulProxy() : undefined
  if (row && doubtful !== undefined) return { message: `${row.message} Also, ${doubtful}.`, fix: checkProxy }
  if (row) return row
  const ofFile = explainFileError(error)
  if (ofFile) return ofFile
  if (error.name === 'CredentialsProviderError') return credentialsFailure(error)
  const ask = 'ask an administrator of the account for this permission'
  if (isAccessDenied(error)) return { message: `AWS denied access: ${error.message}`, fix: ask }
  return { message: `${error.name}: ${error.message || code}` }
}

/** An object or a count differs from the manifest. */
export class DamagedData extends Error {
  override readonly name = 'DamagedData'
}
