import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { awsEnvironment } from '../../local/embedded/environment.ts'
import { createEventBus } from '../../local/embedded/event-bridge.ts'
import { startS3 } from '../../local/embedded/s3.ts'
import { createSecrets } from '../../local/embedded/secrets-manager.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { bucket, secret, table } from '../names.ts'
import { ready } from './ready.ts'

/** The AWS services that the functions use, in one process. Sends the environment variables with their endpoints. */
const [dynamoDb, s3, services] = await Promise.all([
  startDynamoDb({ table }),
  startS3({ bucket }),
  serveAwsJson({
    ...createSecrets({ [secret]: JSON.stringify(localCredentials) }).operations,
    ...createEventBus().operations,
  }),
])
ready(
  awsEnvironment({
    dynamoDb: dynamoDb.endpoint,
    s3: s3.endpoint,
    secretsManager: services.endpoint,
    eventBridge: services.endpoint,
    stepFunctions: services.endpoint,
  }),
)
