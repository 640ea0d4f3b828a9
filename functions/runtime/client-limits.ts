const limits = (timeoutMs: number, maxAttempts: number) => ({
  maxAttempts,
  requestHandler: {
    connectionTimeout: 1_000,
    // Until the response begins. Without `throwOnRequestTimeout` the SDK only logs a warning.
    requestTimeout: timeoutMs,
    throwOnRequestTimeout: true,
    // Idle time, including while a body is read.
    socketTimeout: timeoutMs,
  },
})

/** Time limits of one attempt and the number of attempts, for each of the AWS clients. */
export const clientLimits = {
  secrets: limits(3_000, 2),
  table: limits(2_500, 3),
  stateMachine: limits(5_000, 3),
  events: limits(5_000, 4),
  topic: limits(5_000, 2),
  bucket: limits(8_000, 3),
  glue: limits(8_000, 3),
} as const

/** A check responds within 5 minutes. A NAT gateway drops a silent connection after 350 s. */
export const publisherLimits = limits(300_000, 3)

/** Functions stop working this long before Lambda ends them, so that the last calls fit, repeats included. */
export const endMarginMs = 60_000

interface CallLimits {
  readonly maxAttempts: number
  readonly requestHandler: { readonly requestTimeout: number }
}

/** The longest wait of the SDK before the first repeat, which is after throttling. It doubles with each repeat. */
const maxFirstWaitMs = 1_000

/** How long a call can take with all of its attempts, until its response begins. */
export const maxCallMs = ({ maxAttempts, requestHandler }: CallLimits): number =>
  maxAttempts * requestHandler.requestTimeout + (2 ** (maxAttempts - 1) - 1) * maxFirstWaitMs
