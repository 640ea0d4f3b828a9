import { createStackStore } from '../aws/stacks.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { logGroups } from '../logs/source.ts'
import type { Role } from './operations.ts'
import { type Policy, policyOf } from './policy.ts'

/** The policy of a role for the deployed stacks. */
export async function readPolicy(role: Role, deployment: Deployment): Promise<Policy> {
  const { configuration, stateMachineArn, bucket, table, secretIds } = deployment
  const { name, encryptionKeyArn, previousEncryptionKeyArns } = configuration
  const stacks = createStackStore()
  const [groups, deployedRoles, [api]] = await Promise.all([
    logGroups(name),
    stacks.resources(`${name}Sync`, 'AWS::IAM::Role'),
    stacks.resources(`${name}Api`, 'AWS::ApiGatewayV2::Api'),
  ])
  return policyOf(role, {
    name,
    stateMachineArn,
    bucket,
    table,
    secretIds: Object.values(secretIds),
    logGroups: groups,
    apiId: api?.physicalId ?? '',
    schedulerRole: deployedRoles.find(({ logicalId }) => logicalId.startsWith('SchedulerRole'))?.physicalId,
    encryptionKeyArn,
    previousEncryptionKeyArns,
  })
}
