import type { ManifestPage } from '../../../stored/snapshots/manifest.ts'

/** An invocation writes a chunk well within its time, and within half of its memory, which contains the whole file. */
const maxBytes = 40 * 1024 * 1024
/** The history of an execution has at most 25,000 events, and each chunk adds about eight. */
const maxChunks = 1000

/** Splits the pages of a snapshot into consecutive chunks: the positions where each begins and ends. */
export function planChunks(
  pages: readonly Pick<ManifestPage, 'bytes'>[],
  pagesOfChunk: number,
): readonly { readonly from: number; readonly to: number }[] {
  const pagesPerChunk = Math.max(pagesOfChunk, Math.ceil(pages.length / maxChunks))
  const total = pages.reduce((sum, { bytes }) => sum + bytes, 0)
  const bytesPerChunk = Math.max(maxBytes, Math.ceil((2 * total) / maxChunks))
  const chunks: { from: number; to: number }[] = []
  let from = 0
  let size = 0
  for (const [index, { bytes }] of pages.entries()) {
    if (index > from && (index - from === pagesPerChunk || size + bytes > bytesPerChunk)) {
      chunks.push({ from, to: index })
      from = index
      size = 0
    }
    size += bytes
  }
  return pages.length === 0 ? [] : [...chunks, { from, to: pages.length }]
}
