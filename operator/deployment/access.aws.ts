import { fromIni } from '@aws-sdk/credential-provider-ini'
import { awsClients } from '../aws/clients.aws.ts'
import { CommandError } from '../errors.ts'
import { localVariable, readInstancePath } from './local-address.ts'
import { findLocalInstance } from './local-instance.ts'

/**
 * Checks that the environment leads to a region and to credentials, before the first request to AWS: later, the SDK only
 * reports what is missing, not why. Throws `CommandError`.
 */
export async function requireAwsAccess(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  // The AWS CLI and the CDK read it too; the SDK does not.
  if (!env['AWS_REGION'] && env['AWS_DEFAULT_REGION']) env['AWS_REGION'] = env['AWS_DEFAULT_REGION']
  const { config } = awsClients.identity()
  const profile = env['AWS_PROFILE']
  await config.credentials().catch(async (error: unknown) => {
    throw await withLocal(
      missingCredentials(profile === undefined ? error : await profileError(profile, error), profile),
    )
  })
  await config.region().catch(async (cause: unknown) => {
    const place = profile === undefined ? '' : `, and the profile ${profile} has none`
    throw await withLocal(new CommandError(`No AWS region is set${place}.`, { cause, fix: 'set AWS_REGION' }))
  })
}

/** Who has no access to AWS may mean the `npm start` that is running. */
async function withLocal(error: CommandError): Promise<CommandError> {
  const isRunning = await findLocalInstance(readInstancePath(process.env[localVariable])).then(
    () => true,
    () => false,
  )
  if (!isRunning) return error
  const fix = `${error.fix}, or add --local: npm start is running`
  return new CommandError(error.message, { cause: error.cause, fix })
}

/** Why the profile gives no credentials. The chain of providers reports only that none of them has any. */
const profileError = (profile: string, error: unknown): Promise<unknown> =>
  fromIni({ profile })().then(
    () => error,
    (cause: unknown) => cause,
  )

function missingCredentials(cause: unknown, profile: string | undefined): CommandError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).trim().replace(/\s*\n\s*/g, ': ')
  if (profile === undefined) {
    return new CommandError(`Cannot load AWS credentials: ${reason.replace(/\.?$/, '.')}`, {
      cause,
      fix: 'set AWS_PROFILE, or sign in (aws sso login)',
    })
  }
  return new CommandError(
    `Cannot load AWS credentials for the profile ${profile}: ${reason.replace(/\.?$/, '.')}`,
    {
      cause,
      fix: `check the profile (aws configure list-profiles), sign in again (aws sso login --profile ${profile}), or let the AWS CLI ask for what the profile needs: eval "$(aws configure export-credentials --profile ${profile} --format env)"`,
    },
  )
}
