import * as v from 'valibot'
import {
  deployedText,
  deployedTextMatching,
  describeValue,
  flag,
  strictObject,
  textMatching,
} from '../../functions/runtime/settings-schema/schema-parts.ts'

const example = "'longshore.example.com'"

/** What is wrong with the name of a custom domain (RFC 1123 section 2.1; API Gateway accepts only lower case). */
function findHostError(value: string): string | undefined {
  const name = value.replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/, '')
  const host = name.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase()
  if (host.startsWith('*.'))
    return `${describeValue(value)} is a wildcard; use one host name, such as ${example}`
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
  const isHost = new RegExp(`^(?:${label}\\.)+(?=.*[a-z])${label}$`).test(host) && host.length <= 253
  if (!isHost) return `${describeValue(value)} is not a host name, such as ${example}`
  return host === value ? undefined : `${describeValue(value)} must be written '${host}'`
}

const certificate = /^arn:aws[a-z-]*:acm:([a-z0-9-]+):\d{12}:certificate\/[0-9a-f-]{36}$/

const certificateText =
  "the ARN of an ACM certificate, such as 'arn:aws:acm:eu-west-1:123456789012:certificate/1234abcd-12ab-34cd-56ef-1234567890ab'"

const truststoreText = "the S3 URI of a PEM file, such as 's3://shop-truststore/callers.pem'"

export const domainSchema = strictObject({
  name: deployedText(`a host name, such as ${example}`, findHostError),
  /** A certificate for this name, in the region of the deployment. */
  certificateArn: deployedTextMatching(certificateText, certificate),
  /** Whether the API's default address is off. */
  only: v.optional(flag(), false),
  /** Callers must have a certificate that an authority in the truststore has signed. */
  mutualTls: v.optional(
    strictObject({
      truststoreUri: textMatching(truststoreText, /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/.+\.pem$/),
      truststoreVersion: v.optional(
        deployedTextMatching('the version id of the truststore', /^[\w.~+/=-]{1,1024}$/),
      ),
      /** A public certificate that shows that the name is yours, if `certificateArn` is imported or private. */
      ownershipCertificateArn: v.optional(deployedTextMatching(certificateText, certificate)),
    }),
  ),
})

/** Without `only`, callers reach the API without a certificate at its default address. */
export function findDomainErrors({ domain }: Readonly<Record<string, unknown>>) {
  const { only, mutualTls } = Object(domain) as Readonly<Record<string, unknown>>
  if (mutualTls === undefined || only === true) return []
  const message =
    "needs 'only: true': otherwise callers reach the API without a certificate at its default address"
  return [{ keys: ['domain', 'mutualTls'], message }]
}

/** What is wrong with the certificate for a deployment to `region`: API Gateway accepts only those of its own. */
export function findCertificateRegionError(certificateArn: string, region: string): string | undefined {
  const [, of] = certificate.exec(certificateArn) ?? []
  if (of === undefined || of === region) return undefined
  return `is a certificate of ${of}, but the deployment is in ${region}; use a certificate of ${region}`
}
