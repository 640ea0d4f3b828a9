import { devNull } from 'node:os'
import { builtFile } from '../../local/built-function.ts'
import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { awsEnvironment } from '../../local/embedded/environment.ts'
import { createEventBus } from '../../local/embedded/event-bridge.ts'
import { serveLambda } from '../../local/embedded/lambda.ts'
import { startS3 } from '../../local/embedded/s3.ts'
import { createSecrets } from '../../local/embedded/secrets-manager.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { createKillableFunction } from '../../local/thread/killable-function.ts'
import { bucket, publisher, secret, table } from '../names.ts'
import { functionEnvironment } from '../worker-environment.ts'
import { ready } from './ready.ts'

/**
 * The AWS services that the functions use, in one process, and the publisher in a thread. Sends the environment
 * variables with their endpoints.
 */
const { handler } = createKillableFunction({
  file: builtFile('publisher').href,
  logFile: devNull,
  clock: new Float64Array(1),
})
const [dynamoDb, s3, lambda, services] = await Promise.all([
  startDynamoDb({ table }),
  startS3({ bucket }),
  serveLambda({ [publisher]: handler }),
  serveAwsJson({
    ...createSecrets({ [secret]: JSON.stringify(localCredentials) }).operations,
    ...createEventBus().operations,
  }),
])
const variables = awsEnvironment({
  dynamoDb: dynamoDb.endpoint,
  s3: s3.endpoint,
  secretsManager: services.endpoint,
  eventBridge: services.endpoint,
  stepFunctions: services.endpoint,
  lambda: lambda.endpoint,
})
// The thread has a copy of this process's environment as it is at its first invocation.
const deployment = functionEnvironment('http://127.0.0.1', variables)
Object.assign(process.env, deployment.variables)
process.once('SIGTERM', () => {
  deployment.remove()
  process.exit()
})
ready(variables)
