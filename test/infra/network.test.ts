import { beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, permissions, type Resource, synthesize } from './synthesize.ts'

const subnetIds = ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1']
const network = { vpcId: 'vpc-0123456789abcdef0', subnetIds }
const securityGroupIds = ['sg-0123456789abcdef0']
const entities = [{ name: 'CL', schedule: 'rate(6 hours)' }]

let own: Bundle
let given: Bundle
beforeAll(() => {
  own = synthesize({ network, entities, upstream: { baseUrl: 'https://shop.example.com:8443' } })
  given = synthesize({ network: { ...network, securityGroupIds }, entities })
})

const callsPlatform = ({ properties }: Resource) =>
  Object.keys(properties.Environment.Variables).some((name) => name.startsWith('CREDENTIALS_SECRET_'))
const isInNetwork = ({ properties }: Resource) => properties.VpcConfig !== undefined
const idsOf = (functions: readonly Resource[]) =>
  functions.map(({ id }) => id.replace(/Function.*/, '')).toSorted()

describe('with a network', () => {
  it('exactly the functions that call the platform are in its subnets', () => {
    const functions = own.of('AWS::Lambda::Function')
    expect(idsOf(functions.filter(callsPlatform))).toEqual(['Proxy', 'Worker'])
    expect(idsOf(functions.filter(isInNetwork))).toEqual(['Proxy', 'Worker'])
    for (const { properties } of functions.filter(isInNetwork))
      expect(properties.VpcConfig.SubnetIds).toEqual(subnetIds)
  })

  it('each of them has a security group that allows calls to AWS services and to the platform only', () => {
    const groups = own.of('AWS::EC2::SecurityGroup')
    expect(groups).toHaveLength(2)
    for (const { stack, id, properties } of groups) {
      expect(properties.VpcId).toBe(network.vpcId)
      expect(properties.SecurityGroupIngress).toBeUndefined()
      expect(properties.SecurityGroupEgress).toMatchObject(
        [443, 8443].map((port) => ({ IpProtocol: 'tcp', FromPort: port, ToPort: port, CidrIp: '0.0.0.0/0' })),
      )
      const user = own.of('AWS::Lambda::Function').find((each) => each.stack === stack && isInNetwork(each))
      expect(user?.properties.VpcConfig.SecurityGroupIds).toEqual([{ 'Fn::GetAtt': [id, 'GroupId'] }])
    }
  })

  it('configured security groups are used instead', () => {
    expect(given.of('AWS::EC2::SecurityGroup')).toEqual([])
    const inside = given.of('AWS::Lambda::Function').filter(isInNetwork)
    expect(inside).toHaveLength(2)
    for (const { properties } of inside)
      expect(properties.VpcConfig.SecurityGroupIds).toEqual(securityGroupIds)
  })

  it('Lambda may manage network interfaces with their roles, and their code may not', () => {
    const actions = [
      ...'ec2:CreateNetworkInterface ec2:DescribeNetworkInterfaces ec2:DescribeSubnets'.split(' '),
      ...'ec2:DeleteNetworkInterface ec2:AssignPrivateIpAddresses ec2:UnassignPrivateIpAddresses'.split(' '),
    ]
    const statements = permissions(own).filter((each) => each.actions.includes('ec2:CreateNetworkInterface'))
    expect(statements.map(({ policy }) => policy.replace(/Role.*/, '')).toSorted()).toEqual(
      ['Proxy', 'Proxy', 'Worker', 'Worker'].toSorted(),
    )
    for (const each of statements) {
      expect(each.resources).toEqual(['*'])
      expect(each.actions.toSorted()).toEqual(actions.toSorted())
    }
    const allowed = statements.filter(({ effect }) => effect === 'Allow')
    expect(allowed.map(({ condition }) => condition)).toEqual([undefined, undefined])
    const denied = statements.filter(({ effect }) => effect === 'Deny')
    expect(denied).toHaveLength(2)
    for (const { condition } of denied)
      expect(JSON.stringify(condition)).toMatch(/"ArnLike":\{"lambda:SourceFunctionArn":.*":function:\*"/)
  })

  it('a function is created after its permissions', () => {
    for (const { stack, id } of own.of('AWS::Lambda::Function').filter(isInNetwork)) {
      const { DependsOn } = JSON.parse(own.templates[stack] ?? '').Resources[id]
      expect(DependsOn.some((each: string) => each.includes('RoleDefaultPolicy'))).toBe(true)
    }
  })
})

it("with functions: 'all' every function is in the network", () => {
  const all = synthesize({
    entities,
    network: { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-0123456789abcdef0'], functions: 'all' },
  })
  const functions = all.of('AWS::Lambda::Function')
  expect(functions.filter(isInNetwork)).toHaveLength(functions.length)
})

it('without a network no function is in a VPC, but Lambda may still delete the interfaces of a network that was removed', () => {
  const without = synthesize({ entities })
  expect(without.of('AWS::Lambda::Function').filter(isInNetwork)).toEqual([])
  const needed = ['ec2:DescribeNetworkInterfaces', 'ec2:DeleteNetworkInterface']
  const deleting = (effect: string) =>
    permissions(without).filter(
      (each) => each.effect === effect && needed.every((action) => each.actions.includes(action)),
    )
  const count = without.of('AWS::Lambda::Function').length
  expect([deleting('Allow').length, deleting('Deny').length]).toEqual([count, count])
})
