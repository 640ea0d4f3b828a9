import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import {
  type CorsHttpMethod,
  type CorsPreflightOptions,
  HttpApi,
  type HttpMethod,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import {
  type ApiFunctionName,
  type ApiRoute,
  apiFunctions,
  apiRoutes,
} from '../functions/lambda-functions.ts'
import { areas } from '../functions/platform/areas.ts'
import { type Configuration, settingsOf } from './config.ts'
import { customerKey } from './constructs/customer-key.ts'
import { ServiceFunction } from './constructs/service-function.ts'
import { type Cors, corsOf } from './cors.ts'
import type { StorageStack } from './storage-stack.ts'

export interface ApiStackProps extends StackProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
  readonly machine: StateMachine
}

/** API Gateway gives a function of an HTTP API 30 s; who answers at 29 still answers the caller. */
const timeLimit = { seconds: 29, reason: 'API Gateway waits 30 s for an answer.' }

/** The front door: every route of the platform's that we relay, and those of the syncs. */
export class ApiStack extends Stack {
  readonly api: HttpApi
  readonly functions: readonly ServiceFunction[]
  readonly accessLog: LogGroup
  private readonly key: IKey | undefined

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    this.key = customerKey(this, props.configuration)
    const proxy = this.createProxy(props)
    const syncApi = this.createSyncApi(props)
    const description = this.createDescription(props)
    this.functions = [proxy, syncApi, description]
    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
      ...(this.key && { encryptionKey: this.key }),
    })
    this.api = this.createApi(props.configuration)
    const functions: Record<ApiFunctionName, ServiceFunction> = {
      proxy,
      'sync-api': syncApi,
      openapi: description,
    }
    for (const name of apiFunctions)
      this.addRoutes(apiRoutes[name], { function: functions[name], auth: props.configuration.auth })

    new CfnOutput(this, 'ApiUrl', { value: this.api.apiEndpoint })
  }

  private createProxy({ configuration, storage }: ApiStackProps): ServiceFunction {
    const proxy = new ServiceFunction(this, 'Proxy', {
      folder: 'proxy',
      description: "Relays calls to the platform's API",
      settings: settingsOf(configuration),
      key: this.key,
      memory: {
        mebibytes: 1024,
        reason: 'A cold start is bound by the processor, which grows with memory; bodies are 6 MB at most.',
      },
      timeLimit,
    })
    // The answers to requests with an idempotency key.
    proxy.usesTable(storage.table, ['GetItem', 'PutItem', 'DeleteItem'])
    for (const area of areas) proxy.usesSecret(area, storage.credentials[area])
    return proxy
  }

  private createSyncApi({ configuration, storage, machine }: ApiStackProps): ServiceFunction {
    const syncApi = new ServiceFunction(this, 'SyncApi', {
      folder: 'sync-api',
      description: 'Starts, shows and cancels syncs',
      settings: settingsOf(configuration),
      key: this.key,
      memory: { mebibytes: 512, reason: 'A manifest is some MB at most; more only quickens a cold start.' },
      timeLimit,
    })
    syncApi.usesTable(storage.table, ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'])
    syncApi.usesBucket(storage.bucket, 'snapshots/', ['GetObject'])
    syncApi.runsStateMachine(machine)
    return syncApi
  }

  private createDescription({ configuration }: ApiStackProps): ServiceFunction {
    return new ServiceFunction(this, 'Description', {
      folder: 'openapi',
      description: 'Answers with the OpenAPI document of this API',
      settings: settingsOf(configuration),
      key: this.key,
      memory: {
        mebibytes: 512,
        reason: 'It holds one document of some 100 KB; more only quickens a cold start.',
      },
      timeLimit,
    })
  }

  private createApi({ auth, cors, throttle, upstream }: Configuration): HttpApi {
    const api = new HttpApi(this, 'Http', {
      apiName: this.stackName,
      // For whatever route may ever be added without saying who may call it.
      defaultAuthorizer: createAuthorizer(auth),
      createDefaultStage: false,
      ...(cors.length > 0 && { corsPreflight: preflightOf(corsOf(cors, upstream.headerPrefix)) }),
    })
    api.addStage('DefaultStage', {
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttle.ratePerSecond, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    })
    return api
  }

  private addRoutes(
    routes: readonly ApiRoute[],
    to: { function: ServiceFunction; auth: Configuration['auth'] },
  ) {
    const integration = new HttpLambdaIntegration(`${to.function.node.id}Integration`, to.function.lambda)
    for (const { path, method, scope } of routes) {
      this.api.addRoutes({
        path,
        methods: [method as HttpMethod],
        integration,
        ...(to.auth.type === 'jwt' && scope !== undefined && { authorizationScopes: [scope] }),
      })
    }
  }
}

function preflightOf({ origins, methods, requestHeaders, ...cors }: Cors): CorsPreflightOptions {
  return {
    allowOrigins: [...origins],
    allowMethods: methods.map((method) => method as CorsHttpMethod),
    allowHeaders: [...requestHeaders],
    exposeHeaders: [...cors.exposedHeaders],
    maxAge: Duration.seconds(cors.maxAgeSeconds),
  }
}

function createAuthorizer(auth: Configuration['auth']): IHttpRouteAuthorizer {
  return auth.type === 'jwt'
    ? new HttpJwtAuthorizer('Jwt', auth.issuer, { jwtAudience: [...auth.audience] })
    : new HttpIamAuthorizer()
}

/** Who called what, and how it went. Never a query, which may hold what a shop's customer typed. */
const accessLogFields = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  caller: '$context.identity.userArn',
  subject: '$context.authorizer.claims.sub',
  method: '$context.httpMethod',
  route: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationError: '$context.integrationErrorMessage',
  authorizerError: '$context.authorizer.error',
}
