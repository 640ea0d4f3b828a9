import { ProblemError } from '../../functions/http/problem.ts'
import { CredentialsError, UpstreamFailure } from '../../functions/upstream/errors.ts'
import { ConfigurationError } from '../../lib/config.ts'
import { exitCodes } from './exit-codes.ts'

/** Something is not as it should be; `fix` is the command or deed that helps. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly fix: string | undefined

  constructor(message: string, { fix, cause }: { fix?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.fix = fix
  }
}

/** The command line cannot be used; the message says what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The person has pressed Ctrl-C; the message says what that leaves behind. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export interface Failure {
  readonly exitCode: number
  readonly message: string
  readonly fix?: string | undefined
}

/** Any error as a person reads it: what was wrong and what to do, without a trace. */
export function failureOf(error: unknown): Failure {
  const { code: exitCode } = exitCodes.problem
  if (error instanceof Interrupted) return { exitCode: exitCodes.interrupted.code, message: error.message }
  if (error instanceof UsageError || error instanceof ConfigurationError) {
    return { exitCode: exitCodes.usage.code, message: error.message }
  }
  if (error instanceof CommandError) return { exitCode, message: error.message, fix: error.fix }
  if (error instanceof ProblemError || error instanceof CredentialsError) {
    return { exitCode, message: [error.message, causeOf(error)].filter(Boolean).join(' ') }
  }
  if (error instanceof UpstreamFailure) {
    return { exitCode, message: [`${error.message}.`, causeOf(error)].filter(Boolean).join(' ') }
  }
  return { exitCode, ...explained(error) }
}

function causeOf({ cause }: Error): string | undefined {
  return cause === undefined ? undefined : explained(cause).message
}

const signIn = 'export AWS_PROFILE=…, or sign in again (aws sso login)'

/** The SDK's and the network's errors by their names, which are stable; their messages are not. */
const known: Readonly<Record<string, { readonly message: string; readonly fix: string }>> = {
  CredentialsProviderError: { message: 'There are no AWS credentials.', fix: signIn },
  ExpiredToken: { message: 'The AWS credentials have expired.', fix: signIn },
  ExpiredTokenException: { message: 'The AWS credentials have expired.', fix: signIn },
  InvalidClientTokenId: { message: 'AWS does not know these credentials.', fix: signIn },
  UnrecognizedClientException: { message: 'AWS does not know these credentials.', fix: signIn },
  ECONNREFUSED: {
    message: 'AWS (or what AWS_ENDPOINT_URL names) does not answer: the connection was refused.',
    fix: 'look at AWS_ENDPOINT_URL and the network',
  },
  ENOTFOUND: {
    message: 'The host of AWS (or of what AWS_ENDPOINT_URL names) is not known.',
    fix: 'look at AWS_REGION, AWS_ENDPOINT_URL and the network',
  },
}

const denied = /^(AccessDenied|AccessDeniedException|UnauthorizedOperation)$/

function explained(error: unknown): { message: string; fix?: string } {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? String(error.code) : ''
  const row = known[error.name] ?? known[code]
  if (row) return row
  if (error.message === 'Region is missing') {
    return { message: 'No AWS region is set.', fix: 'export AWS_REGION=…' }
  }
  if (denied.test(error.name)) {
    return { message: `AWS refused: ${error.message}`, fix: 'ask for this permission in the account' }
  }
  return { message: `${error.name}: ${error.message || code}` }
}
