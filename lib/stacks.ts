import { type Stack, Tags } from 'aws-cdk-lib'
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { ApiStack } from './api-stack.ts'
import { AthenaStack } from './athena-stack.ts'
import type { Configuration } from './config.ts'
import { MonitoringStack } from './monitoring-stack.ts'
import { StorageStack } from './storage-stack.ts'
import { SyncStack } from './sync-stack.ts'

/** All stacks of a configuration, named after it. CDK deploys them in the order of their references. */
export function createStacks(scope: Construct, configuration: Configuration) {
  const { name } = configuration
  const named = (stackName: string, contents: string) => ({
    stackName,
    configuration,
    description: `Longshore: ${contents}`,
  })
  const storage = new StorageStack(scope, `${name}Storage`, {
    ...named(`${name}Storage`, 'credentials, state of syncs, snapshots'),
    terminationProtection: true,
  })
  const sync = new SyncStack(scope, `${name}Sync`, {
    ...named(`${name}Sync`, "proven snapshots of the platform's data entities"),
    storage,
  })
  const api = new ApiStack(scope, `${name}Api`, {
    ...named(`${name}Api`, 'API proxy and sync API'),
    storage,
    machine: sync.machine,
  })
  const monitoring = new MonitoringStack(scope, `${name}Monitoring`, {
    ...named(`${name}Monitoring`, 'problems, alarms and saved queries'),
    storage,
    api,
    sync,
  })
  const others = [storage, sync, api, monitoring]
  for (const stack of others) applyPermissionsBoundary(stack, configuration.permissionsBoundary)
  const athena = configuration.athena
    ? new AthenaStack(scope, `${name}Athena`, {
        ...named(`${name}Athena`, 'Glue tables of the snapshots, for Athena'),
        storage,
      })
    : undefined
  // Lake Formation may refuse it, and `cdk deploy --all` stops at the first failure.
  for (const stack of [sync, api, monitoring]) athena?.node.addDependency(stack)
  // Applies to each stack and its resources. CloudFormation passes the tags of a stack on, too.
  for (const stack of [...others, ...(athena ? [athena] : [])])
    for (const [key, value] of Object.entries(configuration.tags)) Tags.of(stack).add(key, value)
  return { storage, sync, api, monitoring }
}

/** Applies to every role of the stack, including roles that CDK creates. A token stands for an ARN. */
function applyPermissionsBoundary(stack: Stack, nameOrArn: string | undefined): void {
  if (nameOrArn === undefined) return
  const policy = /^(?:arn:|\$\{Token\[)/.test(nameOrArn)
    ? ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', nameOrArn)
    : ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', nameOrArn)
  PermissionsBoundary.of(stack).apply(policy)
}
