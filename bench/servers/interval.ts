import { createdUpTo } from './pages.ts'

/** Consecutive documents; `end` is exclusive. */
export interface Interval {
  readonly first: number
  readonly end: number
}

/** The documents that match a range filter over `createdIn`; all documents without a filter. */
export function intervalOf(where: string | null, documents: number): Interval {
  const all = { first: 0, end: documents }
  if (where === null || where.includes('is not null')) return all
  if (where.includes('is null')) return { first: 0, end: 0 }
  const [, from, to] = /between (\S+) AND ([^\s)]+)/.exec(where) ?? []
  if (from && to) return { first: firstAtOrAfter(from), end: createdUpTo(to) }
  const [, at] = /^\(createdIn = ([^\s)]+)\)$/.exec(where) ?? []
  if (at) return { first: firstAtOrAfter(at), end: createdUpTo(at) }
  const [, sign, bound = ''] = /createdIn ([<>]) (\S+) OR/.exec(where) ?? []
  return sign === '<' ? { ...all, end: createdUpTo(bound) } : { ...all, first: firstAtOrAfter(bound) }
}

const firstAtOrAfter = (time: string) => {
  const before = new Date(Date.parse(time) - 1).toISOString()
  return createdUpTo(before)
}
