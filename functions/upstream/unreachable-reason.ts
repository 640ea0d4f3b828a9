import { isLoopback } from '../runtime/settings-schema/loopback.ts'
import { doubtfulProxy, proxyFailure } from './internet-proxy.ts'

const unknownAuthority = (host: string) => `the certificate of ${host} is signed by an unknown authority`
const ownAuthority = 'if its issuer is an authority of your own, name that in NODE_EXTRA_CA_CERTS'
const askForChain = (party: string) => `Ask ${party} to send the whole chain; ${ownAuthority}`

/** Descriptions of the error codes of Node's DNS, TCP and TLS, for a host that this party operates. */
const reasons: Readonly<Record<string, (host: string, party: string) => string>> = {
  ENOTFOUND: (host) => `host ${host} not found`,
  EAI_AGAIN: (host) => `host ${host} cannot be looked up: the DNS server does not respond`,
  ECONNREFUSED: (host) => `connection refused by ${host}`,
  ECONNRESET: (host) => `connection reset by ${host}`,
  ETIMEDOUT: (host) => `connection to ${host} timed out`,
  EHOSTUNREACH: (host) => `no route to ${host}`,
  ENETUNREACH: (host) => `no route to ${host}`,
  CERT_HAS_EXPIRED: (host) => `the certificate of ${host}, or one of its issuers, has expired`,
  CERT_NOT_YET_VALID: (host) => `the certificate of ${host} is not valid yet`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `the certificate of ${host} is for another host`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) => `the certificate of ${host} is self-signed`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) => `${unknownAuthority(host)}; ${ownAuthority}`,
  // Browsers download a missing issuer, so the fault is not noticed there.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host, party) =>
    `the certificate of ${host} cannot be verified: the server does not send the certificate of its issuer (intermediate). ${askForChain(party)}`,
  // Also if the server sends some of several intermediate certificates.
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host, party) =>
    `${unknownAuthority(host)}, or the server does not send every certificate up to it. ${askForChain(party)}`,
  CERT_SIGNATURE_FAILURE: (host) => `the certificate of ${host} has a wrong signature`,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  CERT_UNTRUSTED: unknownAuthority,
  CERT_REVOKED: (host) => `the certificate of ${host} has been revoked`,
}

/** The alert of TLS 1.3, and the one that some servers send with TLS 1.2. */
const clientCertificate = /certificate required|alert bad certificate/

/** True if the server ended the connection for want of a client certificate, with TLS 1.3 after the request was sent. */
export const wantsClientCertificate = (cause: unknown): boolean =>
  clientCertificate.test(handshakeReason(cause) ?? '')

/** Descriptions of a failed TLS handshake with a host, by OpenSSL's reason. Node has one code for all of them. */
const handshakeReasons: readonly (readonly [reason: RegExp, description: string])[] = [
  [/wrong version number|packet length too long|record layer failure/, 'does not speak TLS on this port'],
  [
    /alert protocol version|unsupported protocol/,
    'supports no TLS version that Longshore accepts (1.2 or later)',
  ],
  [clientCertificate, 'requires a client certificate, which Longshore does not have'],
  [
    /alert handshake failure|no shared cipher|no ciphers available|insufficient security/,
    'refuses the TLS handshake: it accepts none of the ciphers, or requires a client certificate',
  ],
  [/unrecognized name/, 'does not know this host name (TLS)'],
]

/** Why no connection to a party was made, in a clause without a full stop: `host shop.invalid not found`. */
export function unreachableReason(cause: unknown, baseUrl: string, party = 'the platform'): string {
  const { hostname } = new URL(baseUrl)
  const doubtful = isLoopback(hostname) ? undefined : doubtfulProxy()
  const reason = proxyFailure(cause) ?? directReason(cause, baseUrl, party)
  return doubtful === undefined ? reason : `${reason}; ${doubtful}`
}

function directReason(cause: unknown, baseUrl: string, party: string): string {
  const { host } = new URL(baseUrl)
  const codes = codesOf(cause)
  const [known] = codes.flatMap((code) => reasons[code] ?? [])
  if (known) return known(host, party)
  const handshake = handshakeReason(cause)
  if (handshake !== undefined) {
    const [, description] = handshakeReasons.find(([pattern]) => pattern.test(handshake)) ?? []
    return description ? `${host} ${description}` : `the TLS handshake with ${host} failed (${handshake})`
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
