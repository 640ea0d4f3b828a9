import type { App, Stack } from 'aws-cdk-lib'
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam'
import { ApiStack } from './api-stack.ts'
import type { Configuration } from './config.ts'
import { MonitoringStack } from './monitoring-stack.ts'
import { StorageStack } from './storage-stack.ts'
import { SyncStack } from './sync-stack.ts'

/** The whole bundle. What a later stack needs of an earlier one it is given, and CDK deploys in that order. */
export function createStacks(app: App, configuration: Configuration) {
  const { name } = configuration
  const storage = new StorageStack(app, `${name}Storage`, {
    configuration,
    description: 'Longshore: credentials, state of syncs, snapshots',
  })
  const sync = new SyncStack(app, `${name}Sync`, {
    configuration,
    storage,
    description: "Longshore: the proven copy of the platform's data entities",
  })
  const api = new ApiStack(app, `${name}Api`, {
    configuration,
    storage,
    machine: sync.machine,
    description: "Longshore: the front door to the platform's API",
  })
  const monitoring = new MonitoringStack(app, `${name}Monitoring`, {
    configuration,
    storage,
    api,
    sync,
    description: 'Longshore: alarms, dashboard and saved queries',
  })
  for (const stack of [storage, sync, api, monitoring]) bound(stack, configuration.permissionsBoundary)
  return { storage, sync, api, monitoring }
}

/** For every role of the stack, those that CDK makes for itself included. */
function bound(stack: Stack, nameOrArn: string | undefined): void {
  if (nameOrArn === undefined) return
  const policy = nameOrArn.startsWith('arn:')
    ? ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', nameOrArn)
    : ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', nameOrArn)
  PermissionsBoundary.of(stack).apply(policy)
}
