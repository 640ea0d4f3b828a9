/** The platform grants rights by area, so each area can have its own credentials. */
export const areas = ['logistics', 'subscriptions', 'documents'] as const
export type Area = (typeof areas)[number]

/** The app key and app token in a newly created secret, until the operator sets the credentials. */
export const placeholder = 'replace-me'
