import { minuteMs } from '../../functions/runtime/durations.ts'
import { unitMs } from '../../operator/probe/conclusions.ts'
import type { Facts } from '../../operator/probe/report.ts'
import { makeDocument } from './documents.ts'
import type { FaultRule } from './faults.ts'
import type { PlatformOptions } from './platform.ts'
import type { ScrollBehaviour } from './scrolls/scroll-behaviour.ts'
import type { EndForm } from './scrolls/scroll-end.ts'
import { type Filtering, type SearchBehaviour, usualSearch } from './search/search-behaviour.ts'

/** A stand-in that behaves as a probe found a platform to behave. What is not known is as usual. */
export interface LikePlatform extends Pick<PlatformOptions, 'rangeSeparator' | 'rejectStatus' | 'responses'> {
  readonly scroll: Partial<ScrollBehaviour>
  readonly search: Partial<SearchBehaviour>
  readonly documents: Buffer[]
  readonly rules: readonly FaultRule[]
}

const usualCount = 5_000
/** They are kept in memory. */
const maxCount = 20_000

export function platformLike(facts: Facts): LikePlatform {
  const { searchTotal, scrollTotal, totalCheck, coding, cache, cookies, clock, wrongKey } = facts
  const counted = [searchTotal, scrollTotal].find(({ kind }) => kind === 'reported')
  const reported = counted?.kind === 'reported' ? counted.documents : usualCount
  const ofScrolls = scrollTotal.kind === 'reported' ? scrollTotal.documents : reported
  // Searches and scrolls may report the same total although there are more documents.
  const isCapped = totalCheck.kind === 'too-low' && ofScrolls >= reported
  const count = Math.min(maxCount, isCapped ? 2 * reported : reported)
  const { filter: usualFilter } = usualSearch
  return {
    documents: Array.from({ length: count }, (_, index) => likeDocument(facts, index)),
    rangeSeparator: searchTotal.kind === 'reported' ? searchTotal.separator : '=',
    rejectStatus: wrongKey.kind === 'refused' && wrongKey.status === 403 ? 403 : 401,
    responses: {
      headers: {
        ...(cache.kind === 'aged' && { Age: '5' }),
        ...(cookies.kind === 'set' && { 'Set-Cookie': 'node=1' }),
      },
      coding: coding.kind === 'coded' ? 'gzip' : 'identity',
      clockMinutes: clock.kind === 'missing' ? undefined : clock.kind === 'differs' ? clock.minutes : 0,
    },
    search: {
      filter: filteringOf(facts.searchFilter) ?? usualFilter,
      unknownField: filteringOf(facts.unknownField) ?? usualFilter,
      index: indexOf(facts),
      total: searchTotal.kind === 'missing' ? 'missing' : isCapped ? { cappedAt: reported } : 'right',
    },
    scroll: {
      ...tokensOf(facts),
      ...pagesOf(facts),
      ...endOf(facts),
      filter: filteringOf(facts.scrollFilter) ?? usualFilter,
      total:
        scrollTotal.kind === 'missing'
          ? 'missing'
          : scrollTotal.kind === 'malformed'
            ? { value: 'many' }
            : totalCheck.kind === 'too-low'
              ? { cappedAt: ofScrolls }
              : totalCheck.kind === 'differs'
                ? { offBy: ofScrolls - reported }
                : 'right',
    },
    rules: waitRules(facts),
  }
}

/** Undefined for what is not known. */
function filteringOf({ kind }: Facts['searchFilter' | 'unknownField']): Filtering | undefined {
  if (kind === 'ignored' || kind === 'refused') return kind
  return kind === 'honored' || kind === 'finds-nothing' ? 'honored' : undefined
}

function indexOf({ createdInIndex, updatedInIndex, ranges }: Facts): SearchBehaviour['index'] {
  const known = createdInIndex.kind === 'not-tried' ? updatedInIndex : createdInIndex
  return {
    ...usualSearch.index,
    ...(known.kind === 'in-utc' && { unitMs: unitMs[known.unit] }),
    ...(known.kind === 'shifted' && { zoneMinutes: known.minutes }),
    findsNulls: ranges.kind !== 'do-not-add-up',
  }
}

function tokensOf({ token, spentToken, tokenLife }: Facts): Partial<ScrollBehaviour> {
  const changing = {
    'same-page': 'positional',
    refused: 'newest-only',
    'next-page': 'changing-cursor',
  } as const
  const tokens =
    token.kind === 'changes' && spentToken.kind in changing
      ? changing[spentToken.kind as keyof typeof changing]
      : 'cursor'
  const headers = { 'first-response-only': 'first', none: 'never' } as const
  const tokenHeader =
    token.kind === 'first-response-only' || token.kind === 'none' ? headers[token.kind] : 'every'
  if (tokenLife.kind !== 'minutes') return { tokens, tokenHeader }
  const { atLeast, atMost } = tokenLife
  return { tokens, tokenHeader, tokenLifeMs: ((atLeast + (atMost ?? 2 * atLeast)) / 2) * minuteMs }
}

function pagesOf({ pageSize }: Facts): Partial<ScrollBehaviour> {
  switch (pageSize.kind) {
    case 'capped':
      return { maxPageLength: pageSize.at }
    case 'multiplied':
      return { pageScale: pageSize.by }
    case 'ignored':
      return { pageScale: pageSize.documents, maxPageLength: pageSize.documents }
    case 'times-out':
      return { timeoutOverSize: pageSize.above }
    case 'honored':
    case 'refused':
    case 'unclear':
    case 'not-tried':
      return {}
  }
}

const endForms: Readonly<Record<string, EndForm>> = {
  'empty-body': 'empty',
  'empty-array': 'brackets',
  'white-space': 'white-space',
  'no-content': 'no-content',
  null: 'null',
  object: 'object',
  text: 'text',
  400: 'refused',
  404: 'not-found',
  410: 'gone',
  416: 'no-range',
}

function endOf({ end, afterEnd }: Facts): Partial<ScrollBehaviour> {
  const form = endForms[end.kind === 'refused' ? end.status : end.kind] ?? 'empty'
  if (afterEnd.kind === 'begins-again') return { end: form, afterEnd: 'again' }
  return { end: form, afterEnd: afterEnd.kind === 'refused' && end.kind !== 'refused' ? 'expired' : 'end' }
}

const firstTime = Date.UTC(2020, 0, 1, 9, 8, 7, 6)

function likeDocument({ createdIn, updatedIn, ranges }: Facts, index: number): Buffer {
  // Times with all parts, about a minute apart.
  const time = firstTime + (ranges.kind === 'too-few-values' ? 0 : index * 61_007)
  const created = new Date(time).toISOString()
  const isInNoRange = ranges.kind === 'do-not-add-up' && index % 50 === 49
  const fields = [
    isInNoRange ? '"createdIn":null,' : dateMember('createdIn', createdIn, created),
    updatedIn.kind === 'not-tried' ? '"updatedIn":null,' : dateMember('updatedIn', updatedIn, created),
  ]
  const text = String(makeDocument(index, { bytes: 320 }))
  return Buffer.from(text.replace(/"createdIn":.*"updatedIn":null,/, () => fields.join('')))
}

function dateMember(name: string, fact: Facts['createdIn'], utc: string): string {
  if (fact.kind === 'absent') return ''
  if (fact.kind === 'null') return `"${name}":null,`
  if (fact.kind === 'other') return `"${name}":"/Date(${Date.parse(utc)})/",`
  const zone = fact.kind === 'dates' ? fact.zone : 'utc'
  return `"${name}":"${utc.replace('Z', { utc: 'Z', offset: '-03:00', none: '' }[zone])}",`
}

/** Every tenth search is asked to wait. */
function waitRules({ retryAfter }: Facts): FaultRule[] {
  if (retryAfter.kind !== 'seen') return []
  const inOneSecond = Date.now() + 1_000
  const values = {
    none: undefined,
    seconds: '1',
    date: new Date(inOneSecond).toUTCString(),
    epoch: String(Math.ceil(inOneSecond / 1_000)),
    malformed: 'soon',
  }
  const value = values[retryAfter.form]
  let searches = 0
  return [
    {
      match: ({ kind }) => kind === 'search' && ++searches % 10 === 0,
      times: Number.POSITIVE_INFINITY,
      fault: {
        kind: 'status',
        status: 429,
        ...(value !== undefined && { headers: { 'Retry-After': value } }),
      },
    },
  ]
}
