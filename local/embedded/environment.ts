import { randomBytes } from 'node:crypto'

/** Settings of SDK clients for the embedded services of this process, which refuse every other access key. */
export const clientSettings = {
  region: 'us-east-1',
  credentials: {
    accessKeyId: `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  },
}

export interface Endpoints {
  readonly dynamoDb?: string
  readonly s3?: string
  readonly secretsManager?: string
  readonly eventBridge?: string
  readonly stepFunctions?: string
  readonly lambda?: string
  readonly topic?: string
}

/** Variables that point every SDK client of this process or a child at the embedded services. */
export function awsEnvironment(endpoints: Endpoints): Record<string, string> {
  const variables: Record<string, string | undefined> = {
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamoDb,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventBridge,
    AWS_ENDPOINT_URL_SFN: endpoints.stepFunctions,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_SNS: endpoints.topic,
    AWS_REGION: clientSettings.region,
    AWS_ACCESS_KEY_ID: clientSettings.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: clientSettings.credentials.secretAccessKey,
    // The developer's profile must not take precedence.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  }
  const given = Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(given)
}
