import { type Console, createConsole } from '../console/server/console.ts'
import { type LocalTarget, localDeployment, longshoreCommand } from '../operator/deployment/deployment.ts'
import { defaultInstancePath } from '../operator/deployment/local-address.ts'
import type { LocalInstance } from '../operator/deployment/local-instance.ts'
import { inspectDeployment } from '../operator/doctor/inspect-deployment.ts'
import { scheduleStateOf } from '../operator/problems/schedule-state.ts'
import { silentReporter } from '../operator/reporter.ts'
import { pauseEntity, resumeEntity } from '../operator/sync/pause.ts'
import { openSyncs } from '../operator/sync/syncs.ts'
import { tableQueries } from '../operator/tables/queries.ts'
import { isRegistered } from './instance-file.ts'

/**
 * The operator's console of this `npm start`, which is described in the file at `path`. The AWS clients of this process
 * must use the embedded services.
 */
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
    command: (args) => longshoreCommand(target(), args),
    scheduleStateOf: (entity, deployed) => scheduleStateOf(entity, deployed, target()),
    queriesOf: (entity, latest) => tableQueries(deployment, { entity, latest }, target()),
    pause: (entity, options) => pauseEntity({ deployment, target: target(), entity }, options),
    resume: (entity) => resumeEntity({ deployment, target: target(), entity }),
    inspect: () => inspectDeployment(target(), silentReporter),
  })
}
