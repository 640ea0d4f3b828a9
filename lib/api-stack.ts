import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import {
  type CorsHttpMethod,
  type CorsPreflightOptions,
  DomainName,
  EndpointType,
  HttpApi,
  type HttpMethod,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
  type MTLSConfig,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Bucket } from 'aws-cdk-lib/aws-s3'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import type { ApiFunctionName, ApiRoute } from '../functions/http/lambda-functions.ts'
import { apiFunctions, apiRoutes } from '../functions/http/lambda-functions.ts'
import { areasWith } from '../functions/platform/areas.ts'
import { accessLogFormat, createAccessLog } from './api/access-log.ts'
import type { Configuration } from './config.ts'
import { ServiceFunction } from './constructs/service-function.ts'
import { type Cors, corsOf } from './cors.ts'
import type { StorageStack } from './storage-stack.ts'

export interface ApiStackProps extends StackProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
  readonly machine: StateMachine
}

type Domain = NonNullable<Configuration['domain']>

const timeLimit = { seconds: 29, reason: 'API Gateway waits 30 s for the function of an HTTP API.' }

/** The HTTP API: the proxied routes of the platform, the routes of the syncs and the OpenAPI document. */
export class ApiStack extends Stack {
  readonly api: HttpApi
  readonly functions: readonly ServiceFunction[]
  readonly accessLog: LogGroup

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    const functions: Record<ApiFunctionName, ServiceFunction> = {
      proxy: this.createProxy(props),
      'sync-api': this.createSyncApi(props),
      openapi: this.createOpenApi(props),
    }
    this.functions = apiFunctions.map((name) => functions[name])
    // The alarms of 1.0.0 import their names.
    for (const { lambda } of this.functions) this.exportValue(lambda.functionName)
    this.accessLog = createAccessLog(this, props.configuration)
    this.api = this.createApi(props.configuration)
    const routes = apiRoutes(props.configuration.endpoints)
    for (const name of apiFunctions)
      this.addRoutes(routes[name], { function: functions[name], auth: props.configuration.auth })

    const { domain } = props.configuration
    new CfnOutput(this, 'ApiUrl', { value: domain?.only ? `https://${domain.name}` : this.api.apiEndpoint })
  }

  private createProxy({ configuration, storage }: ApiStackProps): ServiceFunction {
    const proxy = new ServiceFunction(this, 'Proxy', {
      folder: 'proxy',
      description: "Relays calls to the platform's API",
      configuration,
      memory: {
        mebibytes: 1024,
        reason: 'Processor time grows with memory and dominates a cold start. Bodies are at most 6 MB.',
      },
      timeLimit,
      callsPlatform: true,
      maxConcurrency: configuration.maxConcurrentCalls,
    })
    // Responses to requests with an idempotency key.
    proxy.usesTable(storage.table, ['GetItem', 'PutItem', 'DeleteItem'])
    for (const area of areasWith(configuration.endpoints)) proxy.usesSecret(area, storage.credentialsOf(area))
    return proxy
  }

  private createSyncApi({ configuration, storage, machine }: ApiStackProps): ServiceFunction {
    const syncApi = new ServiceFunction(this, 'SyncApi', {
      folder: 'sync-api',
      description: 'Starts, lists and cancels syncs, and returns snapshots and changes',
      configuration,
      memory: {
        mebibytes: 1024,
        reason: 'Processor time grows with memory and dominates the list of many syncs and a cold start.',
      },
      timeLimit,
    })
    syncApi.usesTable(storage.table, [
      'GetItem',
      'BatchGetItem',
      'PutItem',
      'UpdateItem',
      'DeleteItem',
      'Query',
    ])
    syncApi.usesBucket(storage.bucket, 'snapshots/', ['GetObject'])
    syncApi.usesBucket(storage.bucket, 'changes/', ['GetObject'])
    syncApi.usesBucket(storage.bucket, 'iceberg/', ['GetObject'])
    syncApi.usesStateMachine(machine)
    return syncApi
  }

  private createOpenApi({ configuration }: ApiStackProps): ServiceFunction {
    return new ServiceFunction(this, 'OpenApi', {
      folder: 'openapi',
      description: 'Returns the OpenAPI document, and rejects requests that match no other route',
      configuration,
      memory: {
        mebibytes: 512,
        reason: 'It holds one document of about 100 KB. More memory only shortens a cold start.',
      },
      timeLimit,
    })
  }

  private createApi(configuration: Configuration): HttpApi {
    const { auth, cors, throttle, domain } = configuration
    const api = new HttpApi(this, 'Http', {
      apiName: this.stackName,
      // Applies to every route, so that no route can be open by mistake.
      defaultAuthorizer: createAuthorizer(auth),
      createDefaultStage: false,
      ...(domain?.only && { disableExecuteApiEndpoint: true }),
      ...(cors.length > 0 && { corsPreflight: preflightOf(corsOf(configuration)) }),
    })
    api.addStage('DefaultStage', {
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttle.ratePerSecond, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: AccessLogFormat.custom(accessLogFormat),
      },
      ...(domain && { domainMapping: { domainName: this.createDomain(domain) } }),
    })
    return api
  }

  private createDomain(configured: Domain): DomainName {
    const { name, certificateArn, mutualTls } = configured
    const domain = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
      ...(mutualTls?.ownershipCertificateArn !== undefined && {
        ownershipCertificate: Certificate.fromCertificateArn(
          this,
          'OwnershipCertificate',
          mutualTls.ownershipCertificateArn,
        ),
      }),
      ...(mutualTls && { mtls: this.truststore(mutualTls) }),
    })
    new CfnOutput(this, 'DomainTarget', { value: domain.regionalDomainName })
    return domain
  }

  private truststore({ truststoreUri, truststoreVersion }: NonNullable<Domain['mutualTls']>): MTLSConfig {
    const { hostname, pathname } = new URL(truststoreUri)
    return {
      bucket: Bucket.fromBucketName(this, 'Truststore', hostname),
      key: decodeURIComponent(pathname.slice(1)),
      ...(truststoreVersion !== undefined && { version: truststoreVersion }),
    }
  }

  private addRoutes(
    routes: readonly ApiRoute[],
    to: { function: ServiceFunction; auth: Configuration['auth'] },
  ): void {
    // The policy of a function has 20 KB, too little for a permission of each route.
    const integration = new HttpLambdaIntegration(`${to.function.node.id}Integration`, to.function.lambda, {
      scopePermissionToRoute: false,
    })
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
