import { userInfo } from 'node:os'
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import { identityName } from '../../functions/http/caller.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { Deployment } from './deployment.ts'

/** Who uses the credentials: the name of the AWS identity, or the user of this machine for a local deployment. */
export async function operatorName({ kind }: Pick<Deployment, 'kind'>): Promise<string> {
  if (kind === 'local') return userInfo().username
  const { Arn } = await awsClients.identity().send(new GetCallerIdentityCommand({}))
  return Arn ? identityName(Arn) : 'unknown caller'
}
