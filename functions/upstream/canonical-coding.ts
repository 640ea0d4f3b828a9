/** RFC 9110 section 8.4.1.3: `x-gzip` is `gzip`. */
export function canonicalCoding(coding: string): string {
  const name = coding.toLowerCase()
  return name === 'x-gzip' ? 'gzip' : name
}
