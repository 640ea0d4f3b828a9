import { tmpdir } from 'node:os'
import { openCleanUp } from '../clean-up.ts'
import { runChecks } from './check.ts'
import { alertChecks } from './checks/alerts.ts'
import { callerChecks } from './checks/callers.ts'
import { cancelChecks } from './checks/cancel.ts'
import { cliChecks } from './checks/cli.ts'
import { crashChecks } from './checks/crash.ts'
import { credentialsChecks } from './checks/credentials.ts'
import { deploymentChecks } from './checks/deployment.ts'
import { descriptionChecks } from './checks/description.ts'
import { drillChecks, recoveryChecks } from './checks/drills.ts'
import { grantChecks } from './checks/grants.ts'
import { guardChecks } from './checks/guards.ts'
import { incrementChecks } from './checks/increments.ts'
import { leakChecks } from './checks/leaks.ts'
import { liveChecks } from './checks/live.ts'
import { partitionChecks } from './checks/partitions.ts'
import { platformClientChecks } from './checks/platform-clients.ts'
import { problemChecks } from './checks/problems.ts'
import { proxyChecks } from './checks/proxy.ts'
import { readmeChecks } from './checks/readme.ts'
import { refusalChecks } from './checks/refusals.ts'
import { rotationChecks } from './checks/rotation.ts'
import { scheduleChecks } from './checks/schedule.ts'
import { stolenRoleChecks } from './checks/stolen-roles.ts'
import { syncChecks } from './checks/syncs.ts'
import { tableChecks } from './checks/tables.ts'
import { destroyChecks, tokenChecks } from './checks/tokens.ts'
import { verifierChecks } from './checks/verifier.ts'
import { createContext } from './context.ts'
import { bootstrap, deployLongshore } from './deployment.ts'
import { startEmulator } from './emulator.ts'
import { alerts, startReceivers } from './receivers.ts'
import { entities, startUpstream } from './upstream.ts'

const cleanUp = openCleanUp()
/** `npm run e2e -- rotation crash` runs only these groups, after the one that sets the credentials. */
const wanted = process.argv.slice(2)
const isWanted = (group: string) => wanted.length === 0 || [...wanted, 'credentials'].includes(group)

// Order matters: the first groups need a secret that is not set, later ones use what earlier ones published.
const groups = {
  caller: callerChecks,
  description: descriptionChecks,
  credentials: credentialsChecks,
  proxy: proxyChecks,
  readme: readmeChecks,
  platformClients: platformClientChecks,
  refusal: refusalChecks,
  sync: syncChecks,
  tables: tableChecks,
  increments: incrementChecks,
  partitions: partitionChecks,
  cancel: cancelChecks,
  guard: guardChecks,
  crash: crashChecks,
  schedule: scheduleChecks,
  grants: grantChecks,
  stolenRoles: stolenRoleChecks,
  problems: problemChecks,
  alerts: alertChecks,
  rotation: rotationChecks,
  deployment: deploymentChecks,
  tokens: tokenChecks,
  cli: cliChecks,
  live: liveChecks,
  drills: drillChecks,
  recovery: recoveryChecks,
  leaks: leakChecks,
  verifier: verifierChecks,
  destroy: destroyChecks,
}
const unknown = wanted.find((group) => !(group in groups))
if (unknown !== undefined) {
  console.error(`Unknown group ${unknown}. The groups are: ${Object.keys(groups).join(', ')}.`)
  process.exit(2)
}

/**
 * Deploys Longshore with its own CDK app into an AWS emulator that checks signatures and permissions, and tests it
 * from outside against the stand-in platform.
 */
try {
  const folder = cleanUp.temporaryFolder(tmpdir())
  const platform = await startUpstream(cleanUp)
  const emulator = await startEmulator({ folder, cleanUp })
  const options = { emulator, folder, cleanUp }
  await bootstrap(options)
  const receivers = await startReceivers(emulator, cleanUp)
  const configuration = { upstream: { baseUrl: platform.url }, stepSeconds: 10, entities, alerts }
  const deployment = await deployLongshore(options, configuration)
  const context = await createContext({ platform, receivers, emulator, deployment, cleanUp, folder })
  const checks = Object.entries(groups).flatMap(([name, checks]) => (isWanted(name) ? checks : []))
  await runChecks(context, checks)
} finally {
  await cleanUp.run()
}
