/**
 * How an exchange with the platform failed, which decides whether it may be repeated:
 * - `unreachable`: nothing of the request was sent (name, connection, TLS)
 * - `timeout`: it was sent and no whole answer came in time: the outcome is unknown
 * - `interrupted`: it was sent, then the connection broke or the body was cut off: unknown too
 * - `too-large`: an answer came that is larger than the caller can take
 */
export type UpstreamFailureKind = 'unreachable' | 'timeout' | 'interrupted' | 'too-large'

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  readonly kind: UpstreamFailureKind

  constructor(kind: UpstreamFailureKind, options?: ErrorOptions) {
    super(`The exchange with the platform failed: ${kind}`, options)
    this.kind = kind
  }

  /** False if the platform cannot have seen the request, so that a repeat is safe whatever it does. */
  get sent(): boolean {
    return this.kind !== 'unreachable'
  }
}

/** The platform's keys cannot be used; the owner must act. The message never holds a value of the secret. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
  readonly kind: 'not-set' | 'unreadable'

  constructor(kind: 'not-set' | 'unreadable', message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
