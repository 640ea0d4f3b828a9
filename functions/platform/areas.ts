/** The areas of the built-in endpoints. The platform grants rights by area, so each area can have its own credentials. */
export const areas = ['logistics', 'subscriptions', 'documents'] as const
export type BuiltInArea = (typeof areas)[number]

/** One of them, or the area of a configured endpoint. */
export type Area = string

export const isBuiltIn = (area: Area): area is BuiltInArea => areas.some((each) => each === area)

/** The built-in areas, then those of configured endpoints. */
export const areasWith = (configured: readonly { readonly area: Area }[]): readonly Area[] => [
  ...new Set([...areas, ...configured.map(({ area }) => area)]),
]

/** The app key and app token in a newly created secret, until the operator sets the credentials. */
export const placeholder = 'replace-me'
