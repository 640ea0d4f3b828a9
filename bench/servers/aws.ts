import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { awsEnvironment } from '../../local/embedded/environment.ts'
import { createEventBus } from '../../local/embedded/event-bridge.ts'
import { serveLambda } from '../../local/embedded/lambda.ts'
import { startS3 } from '../../local/embedded/s3.ts'
import { createSecrets } from '../../local/embedded/secrets-manager.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { bucket, publisher, secret, table } from '../names.ts'
import { createPublisher } from './publisher.ts'
import { ready } from './ready.ts'

/** The AWS services that the functions use, and the publisher in a thread. Sends variables with their endpoints. */
const { handler, configure } = createPublisher()
const [dynamoDb, s3, lambda, services] = await Promise.all([
  startDynamoDb({ table }),
  startS3({ bucket }),
  serveLambda({ [publisher]: handler }),
  serveAwsJson({
    ...createSecrets({ [secret]: JSON.stringify(localCredentials) }),
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
configure(variables)
ready(variables)
