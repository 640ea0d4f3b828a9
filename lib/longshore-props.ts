import { Lazy, Stack } from 'aws-cdk-lib'
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2'
import { type IManagedPolicy, type IRole, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { ConfigurationError, type ConfigurationInput } from './config.ts'

type Network = NonNullable<ConfigurationInput['network']>
type Domain = NonNullable<ConfigurationInput['domain']>
type Reader = NonNullable<ConfigurationInput['readers']>[number]

/** Subnets as the CDK selects them: by default, the private ones. */
interface VpcNetwork extends Pick<Network, 'functions'> {
  readonly vpc: Pick<IVpc, 'vpcId' | 'selectSubnets'>
  readonly vpcSubnets?: SubnetSelection
  readonly securityGroups?: readonly ISecurityGroup[]
}

interface CertifiedDomain extends Omit<Domain, 'certificateArn'> {
  readonly certificate: ICertificate
}

/** The configuration, or constructs of the app in place of their ARNs and ids. */
export type LongshoreProps = Omit<
  ConfigurationInput,
  'encryptionKeyArn' | 'permissionsBoundary' | 'network' | 'domain' | 'readers'
> & {
  readonly permissionsBoundary?: string | IManagedPolicy | undefined
  readonly network?: Network | VpcNetwork | undefined
  readonly domain?: Domain | CertifiedDomain | undefined
  readonly readers?: readonly (Omit<Reader, 'role'> & { readonly role: string | IRole })[] | undefined
} & (
    | { readonly encryptionKeyArn?: string | undefined; readonly encryptionKey?: never }
    | { readonly encryptionKey: IKey; readonly encryptionKeyArn?: never }
  )

/** Names constructs by their ARNs and ids. What does not name a construct is for the schema to refuse. */
export function toConfiguration({ encryptionKey, ...props }: LongshoreProps): unknown {
  const { permissionsBoundary: boundary, network, domain, readers } = props
  if (encryptionKey) allowServices(encryptionKey)
  return {
    ...props,
    ...(encryptionKey && { encryptionKeyArn: deployed(encryptionKey.keyArn) }),
    ...(has(boundary, 'managedPolicyArn') && { permissionsBoundary: deployed(boundary.managedPolicyArn) }),
    ...(has(network, 'vpc') && { network: networkOf(network) }),
    ...(has(domain, 'certificate') && { domain: domainOf(domain) }),
    ...(Array.isArray(readers) && { readers: readers.map(readerOf) }),
  }
}

function has<T, K extends string>(value: T, key: K): value is Extract<T, Readonly<Record<K, unknown>>> {
  return typeof value === 'object' && value !== null && key in value
}

/** As a token: the ids of a VPC that the CDK has not looked up yet are of no valid form. */
const deployed = (value: string) => Lazy.string({ produce: () => value })

function networkOf({ vpc, vpcSubnets, securityGroups, ...others }: VpcNetwork) {
  const groups = securityGroups?.map(({ securityGroupId }) => deployed(securityGroupId))
  return {
    ...others,
    vpcId: deployed(vpc.vpcId),
    subnetIds: privateSubnets(vpc, vpcSubnets).map(deployed),
    ...(groups && { securityGroupIds: groups }),
  }
}

/** Without private subnets the CDK selects public ones, from which functions reach nothing. */
function privateSubnets(vpc: VpcNetwork['vpc'], selection: SubnetSelection | undefined): string[] {
  const { subnetIds, hasPublic } = vpc.selectSubnets(selection)
  if (!hasPublic) return subnetIds
  throw new ConfigurationError('The configuration', [
    'network.vpcSubnets: functions in public subnets cannot reach the platform. Select private subnets with a route to a NAT gateway.',
  ])
}

const domainOf = ({ certificate, ...others }: CertifiedDomain) => ({
  ...others,
  certificateArn: deployed(certificate.certificateArn),
})

const readerOf = (reader: NonNullable<LongshoreProps['readers']>[number]) =>
  has(reader?.role, 'roleArn') ? { ...reader, role: deployed(reader.role.roleArn) } : reader

/** The services that use the key without a role (SECURITY.md, "Keys"). The policy of an imported key stays as it is. */
function allowServices(key: IKey): void {
  const { region, account, partition } = Stack.of(key)
  const allow = (service: string, actions: readonly string[], conditions: object) =>
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(service)],
        actions: actions.map((action) => `kms:${action}`),
        resources: ['*'],
        conditions: { ...conditions },
      }),
    )
  const groups = `arn:${partition}:logs:${region}:${account}:log-group:*`
  allow(
    `logs.${region}.amazonaws.com`,
    ['Encrypt', 'Decrypt', 'ReEncrypt*', 'GenerateDataKey*', 'DescribeKey'],
    { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': groups } },
  )
  allow('cloudwatch.amazonaws.com', ['Decrypt', 'GenerateDataKey*'], {
    StringEquals: { 'aws:SourceAccount': account },
  })
}
