/** What the words mean that only Longshore uses. */
const glossary: Readonly<Record<string, string>> = {
  withheld:
    'Missing from the snapshot without proof of a deletion: it is not exact and no second one in a row lacks the document, or an increment delivered it shortly before. Readers of change sets keep it.',
  held: 'An increment delivered a newer version shortly before the snapshot. Readers of change sets keep it until a later snapshot decides.',
  tip: 'The run at which the last change set ended: what readers of change sets have.',
  suspect:
    'The outcome of a request is not known, for example after a broken connection. The attempt is published only if its documents match the reported total exactly.',
  exact: 'The snapshot has as many documents as the platform reported.',
  'within-tolerance':
    'The number of documents differs from the reported total by no more than totalTolerancePercent.',
  'no-total': 'The platform reported no total, so only the end of the scroll proves that nothing is missing.',
  proof:
    'Why a snapshot counts as complete. Exact: as many documents as the platform reported. Suspect: the outcome of a request was not known, so the total had to match exactly.',
  unchanged: 'In both snapshots with the same content.',
  rewritten:
    'The same content in other bytes, such as another order of fields. This does not count as a change.',
}

/** The meaning of a word; undefined for words that need none. */
export const meaningOf = (word: string): string | undefined =>
  Object.hasOwn(glossary, word.toLowerCase()) ? glossary[word.toLowerCase()] : undefined
