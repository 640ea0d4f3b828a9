import { type Console, createConsole } from '../console/server/console.ts'
import { type LocalTarget, localDeployment } from '../operator/deployment/deployment.ts'
import { defaultInstancePath } from '../operator/deployment/local-address.ts'
import type { LocalInstance } from '../operator/deployment/local-instance.ts'
import { inspectDeployment } from '../operator/doctor/inspect-deployment.ts'
import { silentReporter } from '../operator/reporter.ts'
import { openSyncs } from '../operator/sync/syncs.ts'
import { isRegistered } from './instance-file.ts'

/** The console of this `npm start`, which the file at `path` describes. AWS clients must use its services. */
export function openConsole(instance: LocalInstance, path: string): Promise<Console> {
  const deployment = localDeployment(instance)
  // With `--local`, commands reach the `npm start` that was started first.
  const target = (): LocalTarget => ({
    kind: 'local',
    path: isRegistered(defaultInstancePath, instance) ? defaultInstancePath : path,
  })
  return createConsole({
    deployment,
    syncs: openSyncs(deployment, silentReporter),
    target,
    inspect: () => inspectDeployment(target(), silentReporter),
  })
}
