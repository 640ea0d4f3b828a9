import { App } from 'aws-cdk-lib'
import { ConfigurationError, loadConfig } from '../lib/config.ts'
import { createStacks } from '../lib/stacks.ts'

const app = new App()
try {
  const { node } = app
  createStacks(app, await loadConfig(node.tryGetContext('config'), { name: node.tryGetContext('name') }))
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
