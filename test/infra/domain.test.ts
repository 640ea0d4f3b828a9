import { beforeAll, expect, it } from 'vitest'
import { type Bundle, synthesize } from './synthesize.ts'

const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/1234abcd-12ab-34cd-56ef-1234567890ab'

let bundle: Bundle
beforeAll(() => {
  bundle = synthesize({ domain: { name: 'longshore.example.com', certificateArn } })
})

it('a domain is regional, requires TLS 1.2 and leads to the API', () => {
  const [domain] = bundle.of('AWS::ApiGatewayV2::DomainName')
  expect(domain?.properties).toEqual({
    DomainName: 'longshore.example.com',
    DomainNameConfigurations: [
      { CertificateArn: certificateArn, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
    ],
  })
  const [mapping] = bundle.of('AWS::ApiGatewayV2::ApiMapping')
  const [stage] = bundle.of('AWS::ApiGatewayV2::Stage')
  // Without a key: the paths are those of the API.
  expect(mapping?.properties).toEqual({
    ApiId: stage?.properties.ApiId,
    DomainName: { Ref: domain?.id },
    Stage: '$default',
  })
  const { DependsOn } = JSON.parse(bundle.templates['LongshoreApi'] ?? '').Resources[mapping?.id ?? '']
  expect(DependsOn).toContain(stage?.id)
})

it('a domain adds the output DomainTarget, to which its DNS record points', () => {
  const [domain] = bundle.of('AWS::ApiGatewayV2::DomainName')
  expect(bundle.outputs['LongshoreApi.DomainTarget']).toEqual({
    'Fn::GetAtt': [domain?.id, 'RegionalDomainName'],
  })
  expect(bundle.outputs).toHaveProperty(['LongshoreApi.ApiUrl'])
})

const mutualTls = { truststoreUri: 's3://shop-truststore/callers.pem', truststoreVersion: '3' }

it('only a domain turns the default address off and is the address of the API', () => {
  const only = synthesize({
    domain: { name: 'longshore.example.com', certificateArn, only: true, mutualTls },
  })
  expect(only.of('AWS::ApiGatewayV2::Api')[0]?.properties.DisableExecuteApiEndpoint).toBe(true)
  expect(only.outputs['LongshoreApi.ApiUrl']).toBe('https://longshore.example.com')
  expect(only.of('AWS::ApiGatewayV2::DomainName')[0]?.properties.MutualTlsAuthentication).toEqual({
    TruststoreUri: 's3://shop-truststore/callers.pem',
    TruststoreVersion: '3',
  })
  expect(bundle.of('AWS::ApiGatewayV2::Api')[0]?.properties.DisableExecuteApiEndpoint).toBeUndefined()
})

it('a certificate that is imported is accompanied by one that shows who owns the name', () => {
  const ownershipCertificateArn = certificateArn.replace('1234abcd', 'abcd1234')
  const owned = synthesize({
    domain: {
      name: 'longshore.example.com',
      certificateArn,
      only: true,
      mutualTls: { ...mutualTls, ownershipCertificateArn },
    },
  })
  expect(owned.of('AWS::ApiGatewayV2::DomainName')[0]?.properties.DomainNameConfigurations).toEqual([
    expect.objectContaining({
      CertificateArn: certificateArn,
      OwnershipVerificationCertificateArn: ownershipCertificateArn,
    }),
  ])
})

it('there is no domain by default', () => {
  const without = synthesize()
  expect(without.of('AWS::ApiGatewayV2::DomainName')).toEqual([])
  expect(without.outputs).not.toHaveProperty(['LongshoreApi.DomainTarget'])
})
