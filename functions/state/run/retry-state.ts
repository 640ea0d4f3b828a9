/** Stored with the run, since a wait can outlive its worker. */
export type { RetryState } from '../../upstream/retry.ts'
