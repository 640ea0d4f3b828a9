import { pick } from '../../functions/runtime/pick.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { logGroups } from '../sync/run-logs.ts'
import type { Role } from './operations.ts'
import { type Policy, policyOf } from './policy.ts'

/** The policy of a role for the deployed stacks. */
export async function readPolicy(role: Role, deployment: Deployment): Promise<Policy> {
  const { configuration, secretIds } = deployment
  const { name, encryptionKeyArn } = configuration
  const stacks = createStackStore()
  const [groups, deployedRoles, [api]] = await Promise.all([
    logGroups(name),
    stacks.resources(`${name}Sync`, 'AWS::IAM::Role'),
    stacks.resources(`${name}Api`, 'AWS::ApiGatewayV2::Api'),
  ])
  return policyOf(role, {
    ...pick(deployment, 'stateMachineArn', 'bucket', 'table'),
    ...pick(configuration, 'name', 'previousEncryptionKeyArns'),
    encryptionKeyArn,
    secretIds: Object.values(secretIds),
    logGroups: groups,
    apiId: api?.physicalId ?? '',
    schedulerRole: deployedRoles.find(({ logicalId }) => logicalId.startsWith('SchedulerRole'))?.physicalId,
  })
}
