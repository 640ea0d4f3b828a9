/** The platform grants rights by area, so credentials are kept per area too. */
export const areas = ['logistics', 'subscriptions', 'documents'] as const
export type Area = (typeof areas)[number]

/** The value of both fields of the secret that the stack creates, until the owner sets real credentials. */
export const placeholder = 'replace-me'
