import { tmpdir } from 'node:os'
import { runChecks } from './check.ts'
import { callerChecks } from './checks/callers.ts'
import { cancelChecks } from './checks/cancel.ts'
import { crashChecks } from './checks/crash.ts'
import { credentialsChecks } from './checks/credentials.ts'
import { deploymentChecks } from './checks/deployment.ts'
import { descriptionChecks } from './checks/description.ts'
import { frontDoorChecks } from './checks/front-door.ts'
import { guardChecks } from './checks/guards.ts'
import { platformAnswerChecks } from './checks/platform-answers.ts'
import { readmeChecks } from './checks/readme.ts'
import { refusalChecks } from './checks/refusals.ts'
import { scheduleChecks } from './checks/schedule.ts'
import { syncChecks } from './checks/syncs.ts'
import { openCleanUp } from './clean-up.ts'
import { deployLongshore } from './deployment.ts'
import { startEmulator } from './emulator.ts'
import { startUpstream } from './upstream.ts'
import { createWorld } from './world.ts'

/**
 * The whole of Longshore, deployed by its own CDK app into an emulator of AWS that checks signatures and
 * permissions, and tried from outside against the stand-in of the platform.
 */
const cleanUp = openCleanUp()
try {
  const folder = cleanUp.temporaryFolder(tmpdir())
  const platform = await startUpstream(cleanUp)
  const emulator = await startEmulator({ folder, cleanUp })
  const deployment = await deployLongshore({ emulator, folder, cleanUp, upstreamUrl: platform.url })
  const world = await createWorld({ platform, emulator, deployment, cleanUp })

  // In this order: the first ones need secrets that are not set, later ones what earlier ones published.
  await runChecks(world, [
    ...callerChecks,
    ...descriptionChecks,
    ...credentialsChecks,
    ...frontDoorChecks,
    ...platformAnswerChecks,
    ...readmeChecks,
    ...refusalChecks,
    ...syncChecks,
    ...cancelChecks,
    ...guardChecks,
    ...crashChecks,
    ...scheduleChecks,
    ...deploymentChecks,
  ])
} finally {
  await cleanUp.run()
}
