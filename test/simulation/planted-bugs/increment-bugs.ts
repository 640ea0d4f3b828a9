import type { Scenario } from '../scenario.ts'
import { hasIncrements, type PlantedBug } from './planted-bug.ts'

const hasOperators = ({ increments }: Scenario) => increments?.operators ?? false
const hasAcceptances = ({ increments }: Scenario) => (increments?.acceptances ?? 0) > 0
const hasCoarseIndex = ({ increments }: Scenario) => increments?.filter === 'coarse'

const hasErasure = ({ increments }: Scenario) => increments?.eraseWithinDays !== undefined

/** Bugs of increments. */
export const incrementBugs = {
  'equal-dates-are-older': {
    breaks: 'increments-true',
    file: 'functions/worker/increment/select-records.ts',
    find: 'version.date < before.date',
    replace: 'version.date <= before.date',
    seed: 118,
    showsIn: hasIncrements,
  },
  'full-sync-waits-for-increments': {
    breaks: 'increments-recover',
    file: 'stored/claim/decisions.ts',
    find: "claimant.for === 'snapshot' || isOwn",
    replace: 'isOwn',
    seed: 3,
    showsIn: hasIncrements,
  },
  'window-forgotten-by-full-sets': {
    breaks: 'increments-true',
    file: 'stored/changes/chain-moves.ts',
    find: '...(window && { window }),',
    replace: '',
    seed: 49,
    showsIn: hasIncrements,
  },
  'scroll-of-an-increment-open-for-a-day': {
    breaks: 'increments-recover',
    file: 'functions/worker/session.ts',
    find: 'const scrollMs = 22 * 60_000',
    replace: 'const scrollMs = 22 * 3_600_000',
    seed: 49,
    showsIn: hasIncrements,
  },
  'pulled-without-what-is-over-a-snapshot': {
    breaks: 'pulled-true',
    file: 'stored/chain/state-parts.ts',
    find: 'return isOverSnapshot ? [...records, ...partsOver(last)] : records',
    replace: 'return records',
    seed: 2,
    showsIn: hasOperators,
  },
  'history-of-the-run-before': {
    breaks: 'history-true',
    file: 'operator/history/as-of.ts',
    find: 'stateAt(runs, last, ',
    replace: 'stateAt(runs, last - 1, ',
    seed: 2,
    showsIn: hasOperators,
  },
  'review-with-what-is-withheld': {
    breaks: 'review-true',
    file: 'functions/compare/records/write-records.ts',
    find: '    if (purpose === purposes.deleted)\n      await reviewed',
    replace: '    await reviewed',
    seed: 45,
    showsIn: hasIncrements,
  },
  'damaged-pages-accepted': {
    breaks: 'pages-whole',
    file: 'functions/publisher/publish-run.ts',
    find: 'checkPage((await objects.read(page.key))?.bytes, { page, idField, received: undefined })',
    replace: '',
    seed: 342,
    showsIn: hasAcceptances,
  },
  'coarse-index-is-an-ignored-filter': {
    breaks: 'increments-recover',
    file: 'functions/worker/increment/select-records.ts',
    find: 'if (!isNearWindow(dates, { from, latest }))',
    replace: 'if (!isInWindow(dates, { from, latest }))',
    seed: 101,
    showsIn: hasCoarseIndex,
  },
  'lookback-delivered-again': {
    breaks: 'increments-new',
    file: 'functions/worker/increment/select-records.ts',
    find: 'if (before?.content === version.content) {',
    replace: 'if (before === version) {',
    seed: 1,
    showsIn: hasIncrements,
  },
  'erased-a-week-late': {
    breaks: 'erased-in-time',
    file: 'functions/compare/erase/erase-all.ts',
    find: 'keptDays(context.eraseWithinDays)',
    replace: 'context.eraseWithinDays + 7',
    seed: 5,
    showsIn: hasErasure,
  },
} as const satisfies Record<string, PlantedBug>
