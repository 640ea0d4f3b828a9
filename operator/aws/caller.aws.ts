import { userInfo } from 'node:os'
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import type { Deployment } from '../deployment/deployment.ts'
import { awsClients } from './clients.aws.ts'

/** Who uses the credentials: the ARN of the AWS identity, or the user of this machine for a local deployment. */
export async function callerName({ kind }: Pick<Deployment, 'kind'>): Promise<string> {
  if (kind === 'local') return userInfo().username
  const { Arn = 'unknown caller' } = await awsClients.identity().send(new GetCallerIdentityCommand({}))
  return Arn
}
