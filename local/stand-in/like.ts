import { minuteMs } from '../../functions/runtime/durations.ts'
import { unitMs } from '../../operator/probe/conclusions.ts'
import type { DateFact, ProbeFacts } from '../../operator/probe/facts.ts'
import { makeDocument } from './documents.ts'
import type { FaultRule } from './faults.ts'
import type { PlatformOptions } from './platform.ts'
import type { EndForm, ScrollBehaviour } from './scrolls/scroll-behaviour.ts'
import { type SearchBehaviour, usualSearch } from './search/search-behaviour.ts'

/** A platform that behaves as a probe found. What is not known is as usual. */
export interface LikePlatform extends PlatformOptions {
  readonly likeDocuments: Buffer[]
  readonly rules: readonly FaultRule[]
}

const usualCount = 5_000
/** They are kept in memory. */
const maxCount = 20_000

export function platformLike(facts: ProbeFacts): LikePlatform {
  const { searchTotal, scrollTotal, totalCheck, clock, wrongKey, cache, cookies, coding } = facts
  const ofSearches = searchTotal.kind === 'reported' ? searchTotal.documents : undefined
  const ofScrolls = scrollTotal.kind === 'reported' ? scrollTotal.documents : (ofSearches ?? usualCount)
  const reported = ofSearches ?? ofScrolls
  // Searches and scrolls may report the same total although there are more documents.
  const isLow = totalCheck.kind === 'too-low' && ofScrolls >= reported
  const isCapped = isLow || (totalCheck.kind === 'unclear' && ofScrolls > reported)
  const count = Math.min(maxCount, isLow ? 2 * reported : isCapped ? ofScrolls : reported)
  return {
    likeDocuments: Array.from({ length: count }, (_, index) => likeDocument(facts, index)),
    rules: waitRules(facts.retryAfter.kind),
    rangeSeparator: searchTotal.kind === 'reported' ? searchTotal.separator : '=',
    rejectStatus: wrongKey.kind === 'refused' && wrongKey.status === 403 ? 403 : 401,
    responses: {
      headers: {
        ...(cache.kind === 'aged' && { Age: '5' }),
        ...(cookies.kind === 'set' && { 'Set-Cookie': 'node=1' }),
      },
      coding: coding.kind === 'gzip' ? 'gzip' : 'identity',
      clockMinutes: clock.kind === 'differs' ? clock.minutes : clock.kind === 'missing' ? 'none' : 0,
    },
    search: {
      filter: filtering(facts.searchFilter),
      unknownField: filtering(facts.unknownField),
      index: indexLike(facts),
      total: searchTotal.kind === 'missing' ? 'missing' : isCapped ? { cappedAt: reported } : 'right',
    },
    scroll: {
      filter: filtering(facts.scrollFilter),
      total: {
        missing: 'missing' as const,
        malformed: { value: 'many' },
        'too-low': { cappedAt: ofScrolls },
        wrong: { offBy: ofScrolls - reported },
        right: 'right' as const,
      }[
        among(scrollTotal.kind, ['missing', 'malformed']) ??
          among(totalCheck.kind, ['too-low', 'wrong']) ??
          'right'
      ],
      ...pagesLike(facts),
      ...tokensLike(facts),
    },
  }
}

/** The kind of a fact, if it is one of these. */
const among = <Kind extends string>(kind: string, kinds: readonly Kind[]): Kind | undefined =>
  kinds.find((one) => one === kind)

const filtering = ({ kind }: ProbeFacts['searchFilter']) => among(kind, ['ignored', 'refused']) ?? 'honored'

function indexLike({ createdInIndex, updatedInIndex, ranges }: ProbeFacts): SearchBehaviour['index'] {
  const known = createdInIndex.kind === 'not-tried' ? updatedInIndex : createdInIndex
  const unit = Object.entries(unitMs).find(([name]) => name === known.kind)
  return {
    unitMs: unit?.[1] ?? 1,
    cutsFilters: true,
    zoneMinutes: known.kind === 'shifted' ? known.minutes : usualSearch.index.zoneMinutes,
    findsNulls: ranges.kind !== 'do-not-add-up',
  }
}

function pagesLike({ pageSize }: ProbeFacts): Partial<ScrollBehaviour> {
  if (pageSize.kind === 'capped') return { maxPageLength: pageSize.documents }
  if (pageSize.kind === 'times-out') return { timeoutOverSize: pageSize.documents }
  if (pageSize.kind === 'multiplied') return { pageScale: pageSize.by }
  return pageSize.kind === 'ignored' ? { pageScale: Infinity, maxPageLength: pageSize.documents } : {}
}

const endStatuses = new Map<number, EndForm>([
  [404, 'not-found'],
  [410, 'gone'],
  [416, 'no-range'],
])
const endForms = ['empty', 'white-space', 'brackets', 'no-content', 'null', 'object', 'text'] as const

function tokensLike({ tokens, tokenHeader, tokenLife, end, afterEnd }: ProbeFacts): Partial<ScrollBehaviour> {
  const ended =
    end.kind === 'refused' ? (endStatuses.get(end.status) ?? 'refused') : among(end.kind, endForms)
  const isForgotten = afterEnd.kind === 'refused' && end.kind !== 'refused'
  const { atLeast, atMost } = tokenLife.kind === 'minutes' ? tokenLife : { atLeast: 20, atMost: 20 }
  return {
    tokens: among(tokens.kind, ['positional', 'changing-cursor', 'newest-only']) ?? 'cursor',
    tokenHeader: among(tokenHeader.kind, ['first', 'never']) ?? 'every',
    tokenLifeMs: ((atLeast + (atMost ?? 2 * atLeast)) / 2) * minuteMs,
    end: ended ?? 'empty',
    afterEnd: afterEnd.kind === 'again' ? 'again' : isForgotten ? 'expired' : 'end',
  }
}

/** A time with all parts. */
const firstTime = Date.UTC(2020, 0, 1, 9, 8, 7, 6)

/** About a minute apart, and with documents that no range finds if there are such. */
function likeDocument({ createdIn, updatedIn, ranges }: ProbeFacts, index: number): Buffer {
  const time = firstTime + (ranges.kind === 'too-few-values' ? 0 : index * 61_007)
  const isInNoRange = ranges.kind === 'do-not-add-up' && index % 50 === 49
  const created = dateMember('createdIn', isInNoRange ? 'null' : createdIn.kind, time)
  const updated = dateMember('updatedIn', updatedIn.kind === 'not-tried' ? 'null' : updatedIn.kind, time)
  const text = String(makeDocument(index, { bytes: 320 }))
  return Buffer.from(text.replace(/"createdIn":.*"updatedIn":null,/, created + updated))
}

function dateMember(name: string, kind: DateFact['kind'], time: number): string {
  if (kind === 'absent') return ''
  const utc = new Date(time).toISOString()
  const zone = kind === 'offset' ? '-03:00' : kind === 'local' ? '' : 'Z'
  const text = kind === 'other' ? `/Date(${time})/` : utc.replace('Z', zone)
  return `"${name}":${kind === 'null' ? 'null' : JSON.stringify(text)},`
}

/** Every tenth search is asked to wait. */
function waitRules(form: ProbeFacts['retryAfter']['kind']): FaultRule[] {
  const at = Date.now() + 1_000
  const values = {
    none: '',
    seconds: '1',
    date: new Date(at).toUTCString(),
    epoch: `${Math.ceil(at / 1_000)}`,
    malformed: 'soon',
  }
  const known = among(form, ['none', 'seconds', 'date', 'epoch', 'malformed'])
  if (known === undefined) return []
  const headers = { 'Retry-After': values[known] }
  let searches = 0
  const match: FaultRule['match'] = ({ kind }) => kind === 'search' && ++searches % 10 === 0
  return [{ match, times: Number.POSITIVE_INFINITY, fault: { kind: 'status', status: 429, headers } }]
}
