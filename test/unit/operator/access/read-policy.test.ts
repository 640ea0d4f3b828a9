import { expect, it, onTestFinished, vi } from 'vitest'
import { awsEnvironment } from '../../../../local/embedded/environment.ts'
import { policyOf } from '../../../../operator/access/policy.ts'
import { readPolicy } from '../../../../operator/access/read-policy.ts'
import { serveStacks } from '../../../integration/cli-account.ts'

const deployment = {
  configuration: {
    name: 'Shop',
    encryptionKeyArn: 'arn:aws:kms:us-east-1:000000000000:key/1',
    previousEncryptionKeyArns: ['arn:aws:kms:us-east-1:000000000000:key/0'],
  },
  stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:Sync',
  bucket: 'bucket',
  table: 'table',
  secretIds: { logistics: 'own', subscriptions: 'own', documents: 'other' },
}

it.each([
  ['the role of the schedules', ['WorkerRole1', 'SchedulerRole1'], 'SchedulerRole1'],
  ['no role if nothing is scheduled', ['WorkerRole1'], undefined],
])('the policy of a deployment names its resources, and %s', async (_, roles, schedulerRole) => {
  const stacks = await serveStacks(
    {},
    {
      ShopSync: { 'AWS::IAM::Role': roles, 'AWS::Logs::LogGroup': ['WorkerLogs1'] },
      ShopApi: { 'AWS::ApiGatewayV2::Api': ['a1b2c3'] },
    },
  )
  const variables = { ...awsEnvironment({}), AWS_ENDPOINT_URL_CLOUDFORMATION: stacks.endpoint }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await stacks.close()
  })
  const { name, encryptionKeyArn, previousEncryptionKeyArns } = deployment.configuration
  const { stateMachineArn, bucket, table } = deployment
  expect(await readPolicy('administer', deployment as never)).toEqual(
    policyOf('administer', {
      name,
      encryptionKeyArn,
      previousEncryptionKeyArns,
      stateMachineArn,
      bucket,
      table,
      secretIds: ['own', 'own', 'other'],
      logGroups: ['WorkerLogs1'],
      apiId: 'a1b2c3',
      schedulerRole,
    }),
  )
})
