import { S3Client } from '@aws-sdk/client-s3'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SFNClient } from '@aws-sdk/client-sfn'
import type { ConfigurationInput } from '../../lib/config.ts'
import type { Platform } from '../../local/stand-in/platform.ts'
import type { CleanUp } from '../clean-up.ts'
import { type Command, run } from '../processes.ts'
import { type Account, openAccount } from './account.ts'
import { type Deployment, deployLongshore } from './deployment.ts'
import { type Emulator, region, rootCredentials } from './emulator.ts'
import { listen, type PublishedEvent } from './events.ts'
import { type Issuer, startIssuer } from './issuer.ts'
import type { Receivers } from './receivers.ts'
import { type Call, type CallResponse, type Credentials, call } from './signed-call.ts'

/** Everything that a check can use. */
export interface CheckContext {
  readonly platform: Platform
  /** Who receives the messages of alerts. */
  readonly receivers: Receivers
  readonly emulator: Emulator
  readonly deployment: Deployment
  readonly account: Account
  readonly issuer: Issuer
  readonly s3: S3Client
  readonly sfn: SFNClient
  readonly secrets: SecretsManagerClient
  /** A user that is allowed to call every route of the API. */
  readonly caller: Credentials
  /** A user of the same account that is not. */
  readonly stranger: Credentials
  /** Calls the API, signed by the caller by default. */
  readonly callApi: (request: ApiRequest) => Promise<ApiResponse>
  /** Every response so far. */
  readonly responses: () => readonly {
    readonly request: string
    readonly status: number
    readonly text: string
  }[]
  /** Longshore's events on the account's bus so far. */
  readonly events: () => Promise<readonly PublishedEvent[]>
  /** Warnings and errors that the functions logged since a time (epoch milliseconds). */
  readonly functionFaults: (since: number) => Promise<string>
  /** True after a signal has interrupted the run. */
  readonly interrupted: () => boolean
  /** Ends what a check starts, if the run is interrupted. */
  readonly cleanUp: Pick<CleanUp, 'add'>
  /** Runs a program on this machine. */
  readonly run: (command: Command) => Promise<string>
  /** A folder that is removed at the end. */
  readonly folder: string
  /** Deploys the bundle again under another name. */
  readonly deployBeside: (
    configuration: ConfigurationInput & { name: string },
    checkout?: string,
  ) => Promise<Deployment>
}

export interface ApiRequest extends Partial<Pick<Call, 'method' | 'headers' | 'body'>> {
  readonly path: string
  readonly as?: Credentials | 'nobody'
}

export interface ApiResponse extends CallResponse {
  // biome-ignore lint/suspicious/noExplicitAny: the checks assert the members
  readonly json: any
}

export async function createContext(parts: {
  platform: Platform
  receivers: Receivers
  emulator: Emulator
  deployment: Deployment
  cleanUp: CleanUp
  folder: string
}): Promise<CheckContext> {
  const { platform, receivers, emulator, deployment, cleanUp, folder } = parts
  const client = { endpoint: emulator.url, region, credentials: rootCredentials }
  const account = openAccount(emulator.url)
  const api = new URL(deployment.apiUrl)
  const apiId = api.hostname.split('.')[0] ?? ''
  const s3 = new S3Client(client)
  const sfn = new SFNClient(client)
  const secrets = new SecretsManagerClient(client)
  cleanUp.add(() => [s3, sfn, secrets].map((each) => each.destroy()))
  const caller = await account.createCaller('caller', `execute-api:${region}:000000000000:${apiId}/*`)
  const stranger = await account.createCaller('stranger', `execute-api:${region}:000000000000:elsewhere/*`)
  const responses: { request: string; status: number; text: string }[] = []

  return {
    platform,
    receivers,
    emulator,
    deployment,
    account,
    issuer: await startIssuer(cleanUp),
    s3,
    sfn,
    secrets,
    caller,
    stranger,
    responses: () => responses,
    events: await listen(emulator),
    interrupted: () => cleanUp.interrupted,
    cleanUp,
    run: (command) => run(command, cleanUp),
    folder,
    deployBeside: (configuration, checkout) =>
      deployLongshore({ emulator, folder, cleanUp, checkout }, configuration),
    async callApi({ as = caller, method = 'GET', ...request }) {
      const sign = as === 'nobody' ? {} : { sign: { service: 'execute-api', credentials: as } }
      const response = await call({ ...request, method, origin: api.origin, ...sign })
      const text = `${JSON.stringify(response.headers)}\n${response.body.toString('latin1')}`
      responses.push({ request: `${method} ${request.path}`, status: response.status, text })
      const isJson = /json/.test(response.headers['content-type'] ?? '') && response.body.length > 0
      return { ...response, json: isJson ? parsed(response.body) : undefined }
    },
    async functionFaults(since) {
      const lines = await account.logLines('Logs', since)
      return lines.filter((line) => /"level":"(WARN|ERROR|FATAL)"|Error/.test(line)).join('\n')
    },
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
