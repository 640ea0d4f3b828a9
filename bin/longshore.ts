import { App } from 'aws-cdk-lib'
import { ConfigurationError, loadConfig } from '../lib/config.ts'
import { deploymentRegion } from '../lib/deployment-region.ts'
import { createStacks } from '../lib/stacks.ts'

const app = new App()
try {
  const { node } = app
  const name = node.tryGetContext('name')
  const region = deploymentRegion(process.env)
  createStacks(app, await loadConfig(node.tryGetContext('config'), { name, region, schedules: 'must-run' }))
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
