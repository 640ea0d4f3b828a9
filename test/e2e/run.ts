import { tmpdir } from 'node:os'
import { openCleanUp } from '../clean-up.ts'
import { runChecks } from './check.ts'
import { alarmChecks } from './checks/alarms.ts'
import { callerChecks } from './checks/callers.ts'
import { cancelChecks } from './checks/cancel.ts'
import { cliChecks } from './checks/cli.ts'
import { crashChecks } from './checks/crash.ts'
import { credentialsChecks } from './checks/credentials.ts'
import { deploymentChecks } from './checks/deployment.ts'
import { descriptionChecks } from './checks/description.ts'
import { grantChecks } from './checks/grants.ts'
import { guardChecks } from './checks/guards.ts'
import { leakChecks } from './checks/leaks.ts'
import { platformAnswerChecks } from './checks/platform-answers.ts'
import { frontDoorChecks } from './checks/proxy.ts'
import { readmeChecks } from './checks/readme.ts'
import { refusalChecks } from './checks/refusals.ts'
import { rotationChecks } from './checks/rotation.ts'
import { scheduleChecks } from './checks/schedule.ts'
import { stolenRoleChecks } from './checks/stolen-roles.ts'
import { syncChecks } from './checks/syncs.ts'
import { destroyChecks, tokenChecks } from './checks/tokens.ts'
import { bootstrap, deployLongshore } from './deployment.ts'
import { startEmulator } from './emulator.ts'
import { entities, startUpstream } from './upstream.ts'
import { createWorld } from './world.ts'

const cleanUp = openCleanUp()
/** `npm run e2e -- rotation crash` runs these groups only, after the one that sets the keys. */
const wanted = process.argv.slice(2)
const isWanted = (group: string) => wanted.length === 0 || [...wanted, 'credentials'].includes(group)

// In this order: the first ones need secrets that are not set, later ones what earlier ones published.
const groups = {
  caller: callerChecks,
  description: descriptionChecks,
  credentials: credentialsChecks,
  frontDoor: frontDoorChecks,
  platformAnswer: platformAnswerChecks,
  readme: readmeChecks,
  refusal: refusalChecks,
  sync: syncChecks,
  cancel: cancelChecks,
  guard: guardChecks,
  crash: crashChecks,
  schedule: scheduleChecks,
  grants: grantChecks,
  stolenRoles: stolenRoleChecks,
  alarms: alarmChecks,
  rotation: rotationChecks,
  deployment: deploymentChecks,
  tokens: tokenChecks,
  cli: cliChecks,
  leaks: leakChecks,
  destroy: destroyChecks,
}
const unknown = wanted.find((group) => !(group in groups))
if (unknown !== undefined) {
  console.error(`There is no group ${unknown}. There are: ${Object.keys(groups).join(', ')}.`)
  process.exit(2)
}

/**
 * The whole of Longshore, deployed by its own CDK app into an emulator of AWS that checks signatures and
 * permissions, and tried from outside against the stand-in of the platform.
 */
try {
  const folder = cleanUp.temporaryFolder(tmpdir())
  const platform = await startUpstream(cleanUp)
  const emulator = await startEmulator({ folder, cleanUp })
  const place = { emulator, folder, cleanUp }
  await bootstrap(place)
  const configuration = { upstream: { baseUrl: platform.url }, stepSeconds: 10, entities }
  const deployment = await deployLongshore(place, configuration)
  const world = await createWorld({ platform, emulator, deployment, cleanUp, folder })
  const checks = Object.entries(groups).flatMap(([name, checks]) => (isWanted(name) ? checks : []))
  await runChecks(world, checks)
} finally {
  await cleanUp.run()
}
