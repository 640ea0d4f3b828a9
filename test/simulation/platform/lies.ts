import type { InjectedFault } from '../../../local/stand-in/faults.ts'
import type { ScrollTotal } from '../../../local/stand-in/scrolls/total.ts'
import { dropDocument } from '../../stand-in-faults.ts'
import type { Scenario } from '../scenario.ts'
import type { Surroundings } from '../surroundings.ts'
import { otherVersion } from './document-versions.ts'
import { documentPool, hasId, indexOf } from './documents.ts'

/** Well-formed responses that are not true. */
export type Lie =
  | 'skip-page'
  | 'early-end'
  /** The request that repeated such an end received a 400, as after the real end. */
  | 'early-end-confirmed'
  /** The response to that request was lost, and with it perhaps the documents. */
  | 'early-end-unanswered'
  | 'lost-end'
  | 'foreign-token'
  | 'drop-document'
  | 'repeat-page'
  | 'duplicate-document'
  | 'endless'
  /** Documents were created or deleted while the scroll showed them. */
  | 'live'

type LieOfPage = Exclude<Lie, 'endless' | 'live' | 'early-end-confirmed' | 'early-end-unanswered'>

/** How the stand-in's model is made to send each lie. */
export const lieFaults: Readonly<
  Record<LieOfPage, (source: Buffer[] | undefined, scenario: Scenario) => InjectedFault>
> = {
  'skip-page': () => ({ kind: 'skip-page' }),
  'early-end': () => ({ kind: 'end', cursor: 'stays' }),
  'lost-end': () => ({ kind: 'end', cursor: 'moves' }),
  'foreign-token': () => ({ kind: 'foreign-token' }),
  'drop-document': () => ({ kind: 'page', change: dropDocument() }),
  'repeat-page': () => ({ kind: 'repeat-page' }),
  // The first document of the scroll again, in this page: as another version if it has changed since.
  'duplicate-document': (source, { compares }) => ({
    kind: 'page',
    change: (documents) => {
      const [first] = source ?? documents
      return first ? [...documents, compares ? newVersionOf(first) : first] : documents
    },
  }),
}

/** Only for a document with an id: another version of one without an id is a different document. */
function newVersionOf(document: Buffer): Buffer {
  const index = indexOf(document)
  const isIdentified = ['id', 'number'].every((idField) => hasId(index, idField))
  return isIdentified ? (documentPool[otherVersion(index, 1)] as Buffer) : document
}

interface Place {
  readonly page: number
  readonly pages: number
  readonly pageLength: number
  /** Whether the scroll has ended early before. */
  readonly hasEnded: boolean
}

/** The lie of a page, if there is one: at random, and only one that a client can survive. */
export function drawLie({ chance, scenario }: Surroundings, at: Place): LieOfPage | undefined {
  if (at.page >= at.pages) return undefined
  // A scroll ends early only once: two wrong ends in a row look like the real end.
  const endsEarly = at.page > 0 && !at.hasEnded
  const isLast = at.page > 0 && at.page === at.pages - 1
  // Few requests are for a last page, whose loss can be within the tolerance.
  if (!chance.happens(isLast ? 6 * scenario.platform.lies : scenario.platform.lies)) return undefined
  return chance.weighted({
    'skip-page': 1,
    'early-end': endsEarly ? (isLast ? 8 : 1) : 0,
    'lost-end': at.page > 0 ? 0.5 : 0,
    'foreign-token': 0.5,
    'drop-document': at.pageLength > 1 ? 1 : 0,
    // After a wrong end, the first page again is a scroll that begins again.
    'repeat-page': endsEarly ? 2 : 0,
    'duplicate-document': 3,
  })
}

/** What a new scroll reports as its total. */
export function drawTotal(
  { chance, scenario }: Surroundings,
  { size, count }: { readonly size: number; readonly count: number },
): ScrollTotal {
  const totals = {
    right: () => 'right' as const,
    missing: () => 'missing' as const,
    'slightly-wrong': () => ({ offBy: chance.pick([-2, -1, 1, 2]) }),
    'short-by-a-page': () => ({ offBy: chance.pick([-1, 1]) * size }),
    'far-off': () => ({ value: String(chance.pick([0, 1, Math.floor(count / 2), count * 3 + 7])) }),
    malformed: () => ({ value: chance.pick(['many', '-3', '1.5', '', '2e3']) }),
  }
  return totals[scenario.platform.total]()
}
