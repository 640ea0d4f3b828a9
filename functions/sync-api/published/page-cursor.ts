import { runIdPattern } from '../../../stored/run/run.ts'
import { refuseParameter } from '../../http/result.ts'
import type { SignLinks } from './links.aws.ts'

/** Where a response begins within the objects of one run. It names the run, so that responses never mix two runs. */
export interface PartsCursor {
  readonly runId: string
  readonly offset: number
}

/** A response has at most this many links. */
export const maxLinks = 1_000

export const formatCursor = ({ runId, offset }: PartsCursor) => `${runId}.${offset}`

/**
 * The pages of a snapshot from the cursor on, with a link to each. `more`: links that the last response has in addition.
 * `next` is the relative URL of the next response, which has no pages if only those are left.
 */
export async function linkedPages<T extends { readonly key: string }>(
  signLinks: SignLinks,
  pages: readonly T[],
  { runId, offset, more = 0 }: PartsCursor & { readonly more?: number },
) {
  const end = Math.min(offset + maxLinks, pages.length)
  // More than can be in a response are all in the last one.
  const isLast = end === pages.length && (end <= offset || end - offset + more <= maxLinks)
  return {
    pages: await withLinks(signLinks, pages.slice(offset, end)),
    ...(!isLast && { next: `?cursor=${formatCursor({ runId, offset: end })}` }),
  }
}

export async function withLinks<T extends { readonly key: string }>(
  signLinks: SignLinks,
  objects: readonly T[],
) {
  const links = await signLinks(objects.map(({ key }) => key))
  return objects.map((object, index) => ({ ...object, link: links[index] }))
}

/** Reads the query parameter `cursor`. Throws `ProblemError`. */
export function parseCursor(text: string): PartsCursor {
  const [, runId = '', offset] = /^(.*)\.(\d{1,7})$/.exec(text) ?? []
  if (runIdPattern.test(runId)) return { runId, offset: Number(offset) }
  return refuseParameter('cursor', 'The cursor is malformed. Use the URL in next unchanged.')
}
