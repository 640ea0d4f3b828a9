/**
 * Header names of the platform (interface sections 4.4, 4.5 and 5). `{prefix}` is replaced by the configured prefix.
 * HTTP compares names without regard to case (RFC 9110 section 5.1); lower case is what Node and API Gateway give us.
 */
export const platformHeaders = {
  range: 'rest-range',
  contentRange: 'rest-content-range',
  total: 'rest-content-total',
  scrollToken: '{prefix}-md-token',
} as const

/** A header's name with the configured prefix, in lower case. */
export const headerName = (name: string, headerPrefix: string): string =>
  name.replace('{prefix}', () => headerPrefix).toLowerCase()

/** The headers that authenticate a request to the platform, written as in the interface. */
export function credentialHeaders(
  { appKey, appToken }: { readonly appKey: string; readonly appToken: string },
  headerPrefix: string,
): Record<string, string> {
  return { [`${headerPrefix}-API-AppKey`]: appKey, [`${headerPrefix}-API-AppToken`]: appToken }
}
