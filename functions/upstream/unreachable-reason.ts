import { proxyFailure } from './internet-proxy.ts'

/** Descriptions of the error codes of Node's DNS, TCP and TLS. */
const reasons: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: (host) => `host ${host} not found`,
  EAI_AGAIN: (host) => `host ${host} cannot be looked up: the DNS server does not respond`,
  ECONNREFUSED: (host) => `connection refused by ${host}`,
  ECONNRESET: (host) => `connection reset by ${host}`,
  ETIMEDOUT: (host) => `connection to ${host} timed out`,
  EHOSTUNREACH: (host) => `no route to ${host}`,
  ENETUNREACH: (host) => `no route to ${host}`,
  CERT_HAS_EXPIRED: (host) => `the certificate of ${host} has expired`,
  CERT_NOT_YET_VALID: (host) => `the certificate of ${host} is not valid yet`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `the certificate of ${host} is for another host`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) => `the certificate of ${host} is self-signed`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) => `the certificate of ${host} is signed by an unknown authority`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) => `the certificate of ${host} is signed by an unknown authority`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) => `the certificate of ${host} is signed by an unknown authority`,
  CERT_SIGNATURE_FAILURE: (host) => `the certificate of ${host} has a wrong signature`,
  UNABLE_TO_GET_ISSUER_CERT: (host) => `the certificate of ${host} is signed by an unknown authority`,
  CERT_UNTRUSTED: (host) => `the certificate of ${host} is signed by an unknown authority`,
  CERT_REVOKED: (host) => `the certificate of ${host} has been revoked`,
}

/** Descriptions of a failed TLS handshake, by OpenSSL's reason. Node has one code for all of them. */
const handshakeReasons: readonly (readonly [reason: RegExp, describe: (host: string) => string])[] = [
  [
    /wrong version number|packet length too long|record layer failure/,
    (host) => `${host} does not speak TLS on this port`,
  ],
  [
    /alert protocol version|unsupported protocol/,
    (host) => `${host} supports no TLS version that Longshore accepts (1.2 or later)`,
  ],
  [/certificate required/, (host) => `${host} requires a client certificate`],
  [
    /alert handshake failure|no shared cipher|no ciphers available|insufficient security/,
    (host) =>
      `${host} refuses the TLS handshake: it accepts none of the ciphers, or requires a client certificate`,
  ],
  [/unrecognized name/, (host) => `${host} does not know this host name (TLS)`],
]

/** Why no connection to the platform was made, in a clause without a full stop: `host shop.invalid not found`. */
export function unreachableReason(cause: unknown, baseUrl: string): string {
  const { host } = new URL(baseUrl)
  const proxy = proxyFailure(cause)
  if (proxy !== undefined) return proxy
  const codes = codesOf(cause)
  const [known] = codes.flatMap((code) => reasons[code] ?? [])
  if (known) return known(host)
  const handshake = handshakeReason(cause)
  if (handshake !== undefined) {
    const [, describe] = handshakeReasons.find(([pattern]) => pattern.test(handshake)) ?? []
    return describe?.(host) ?? `the TLS handshake with ${host} failed (${handshake})`
  }
  const [code] = codes
  // An error without a code means that connecting timed out.
  return code === undefined ? `connection to ${host} timed out` : `no connection to ${host} (${code})`
}

/** A host with several addresses fails with an error for each. */
function codesOf(cause: unknown): string[] {
  if (!(cause instanceof Error)) return []
  const own = 'code' in cause && typeof cause.code === 'string' ? [cause.code] : []
  const others = cause instanceof AggregateError ? cause.errors : []
  return [...own, ...others.flatMap(codesOf)]
}

/** OpenSSL's own reason, which is a part of the message: `error:0A00010B:SSL routines:function:wrong version number:…`. */
function handshakeReason(cause: unknown): string | undefined {
  const { message } = cause instanceof Error ? cause : { message: '' }
  return /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1]
}
