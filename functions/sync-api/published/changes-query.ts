import { runIdPattern } from '../../../stored/run/run.ts'
import { refuseParameter } from '../../http/problem.ts'
import { type PartsCursor, parseCursor } from './page-cursor.ts'

/** What a caller wants to read of a chain. */
export type ChangesPosition =
  /** The snapshot to begin with: the tip's, or the one that an earlier response began with. */
  | { readonly kind: 'start'; readonly cursor: PartsCursor | undefined }
  /** The sets after the state of a run. */
  | SincePosition

export interface SincePosition {
  readonly kind: 'since'
  readonly since: string
  readonly limit: number
  readonly cursor: PartsCursor | undefined
}

const maxLimit = 20

/** Reads the query of `GET /syncs/{entity}/changes`. Throws `ProblemError`. */
export function readPosition(query: ReadonlyMap<string, string>): ChangesPosition {
  const since = query.get('since')
  const limit = readLimit(query.get('limit'))
  const given = query.get('cursor')
  const cursor = given === undefined ? undefined : parseCursor(given)
  if (since === undefined) return { kind: 'start', cursor }
  if (!runIdPattern.test(since)) refuseParameter('since', 'since must be the id of a run.')
  return { kind: 'since', since, limit, cursor }
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? maxLimit : /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > maxLimit)
    refuseParameter('limit', `limit must be a whole number from 1 to ${maxLimit}.`)
  return limit
}
