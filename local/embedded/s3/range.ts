/** The bytes of an object that a request wants. Positions are inclusive. */
export type WantedBytes =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' }

/** Reads a Range header (RFC 9110, section 14.2). Like S3, it ignores several ranges and malformed ones. */
export function wantedBytes(range: string | undefined, sizeBytes: number): WantedBytes {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? '') ?? []
  if (from === undefined || to === undefined || from + to === '') return { kind: 'whole' }
  if (from === '') return part(Math.max(0, sizeBytes - Number(to)), sizeBytes - 1)
  if (to === '') return part(Number(from), sizeBytes - 1)
  if (Number(to) < Number(from)) return { kind: 'whole' }
  return part(Number(from), Math.min(Number(to), sizeBytes - 1))
}

const part = (first: number, last: number): WantedBytes =>
  first <= last ? { kind: 'part', first, last } : { kind: 'unsatisfiable' }
