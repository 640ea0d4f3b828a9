import { ArnFormat, Stack } from 'aws-cdk-lib'
import { CfnSecurityGroup } from 'aws-cdk-lib/aws-ec2'
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { Configuration } from '../config.ts'

type Network = NonNullable<Configuration['network']>

/** The network of one function. Existing resources are named by their ids, so that synthesis reads nothing from AWS. */
export function vpcConfigOf(
  scope: Construct,
  { vpcId, subnetIds, securityGroupIds }: Network,
  baseUrl: string,
): CfnFunction.VpcConfigProperty {
  return {
    subnetIds: [...subnetIds],
    securityGroupIds: securityGroupIds
      ? [...securityGroupIds]
      : [createSecurityGroup(scope, { vpcId, baseUrl }).attrGroupId],
  }
}

/** Lets a function call AWS and the platform, and accepts nothing. The VPC's own resolver needs no rule. */
function createSecurityGroup(
  scope: Construct,
  { vpcId, baseUrl }: { readonly vpcId: string; readonly baseUrl: string },
): CfnSecurityGroup {
  const { protocol, port } = new URL(baseUrl)
  const platformPort = Number(port) || (protocol === 'http:' ? 80 : 443)
  return new CfnSecurityGroup(scope, 'SecurityGroup', {
    vpcId,
    groupDescription: 'Longshore: calls to the platform and to AWS services',
    securityGroupEgress: [...new Set([443, platformPort])].map((to) => ({
      ipProtocol: 'tcp',
      fromPort: to,
      toPort: to,
      cidrIp: '0.0.0.0/0',
      description: to === platformPort ? 'The platform' : 'AWS services',
    })),
  })
}

/** Lambda needs them to delete the interfaces of a network that the function no longer has. */
const leavingActions = ['ec2:DescribeNetworkInterfaces', 'ec2:DeleteNetworkInterface']

/** With those above, the actions of the managed policy AWSLambdaVPCAccessExecutionRole. */
const joiningActions = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeSubnets',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
]

/**
 * Lambda manages network interfaces with the function's role, also after the function has left its network: without the
 * permission, they would block the deletion of the VPC. The function's own code may not (AWS Lambda developer guide,
 * "Giving Lambda functions access to resources in an Amazon VPC").
 */
export function interfacePermissions(scope: Construct, place: 'inside' | 'outside'): PolicyStatement[] {
  const interfaceActions = place === 'inside' ? [...joiningActions, ...leavingActions] : leavingActions
  const functions = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
  return [
    new PolicyStatement({ actions: interfaceActions, resources: ['*'] }),
    new PolicyStatement({
      effect: Effect.DENY,
      actions: interfaceActions,
      resources: ['*'],
      conditions: { ArnLike: { 'lambda:SourceFunctionArn': functions } },
    }),
  ]
}
