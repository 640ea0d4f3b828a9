/** Whether If-None-Match lists this entity tag (RFC 9110 section 13.1.2, weak comparison). */
export function namesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  const listed = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return listed.includes(etag) || listed.includes('*')
}
