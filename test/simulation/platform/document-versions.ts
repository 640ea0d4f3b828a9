/** The documents of the pool are numbered: distinct ones, identical ones, two twins, then further versions. */
const distinct = 640
/** Documents without an id whose bytes are the same. */
const identical = 48
const firstTwin = distinct + identical
const firstVersion = firstTwin + 2
/** Versions of each distinct document: the first, the same content in another spelling, and other contents. */
const versions = 6
export const documentCount = firstVersion + (versions - 1) * distinct

/** The field that versions change and that comparisons may ignore. */
export const ignorableField = 'seen'

/** Indexes of the first versions of documents with an identity of their own. */
export const distinctDocuments = distinct

/** Indexes of identical documents without an id. */
export const identicalDocuments: readonly number[] = Array.from(
  { length: identical },
  (_, at) => distinct + at,
)

/**
 * Two documents whose ids have the same first 64 bits of their hashes in seeds that ask for it. The platform never has
 * both at once: counting ids by 64 bits is good enough for a proof.
 */
export const twins = [firstTwin, firstTwin + 1] as const
export const twinIds = ['twin-0', 'twin-1'] as const

/** Identical documents are the same document: the first of them represents all. */
export const canonical = (index: number): number => (isIdentical(index) ? distinct : index)

export const isIdentical = (index: number): boolean => index >= distinct && index < firstTwin

/** The first version of a document. */
export const baseOf = (index: number): number =>
  index < firstVersion ? canonical(index) : (index - firstVersion) % distinct

/** 0 for the first version. */
export const versionOf = (index: number): number =>
  index < firstVersion ? 0 : 1 + Math.floor((index - firstVersion) / distinct)

/** Another version of a document; `step` selects which. The same document if it has no versions. */
export function otherVersion(index: number, step: number): number {
  const base = baseOf(index)
  if (base >= distinct) return index
  const version = (versionOf(index) + 1 + (step % (versions - 1))) % versions
  return version === 0 ? base : firstVersion + (version - 1) * distinct + base
}

/** Whether two versions of one document are equal to a reader: by content, not by bytes. */
export function hasSameContent(one: number, other: number, ignore: readonly string[]): boolean {
  const contentOf = (index: number) => {
    const version = versionOf(index)
    return version === 1 || (version === 4 && ignore.includes(ignorableField)) ? 0 : version
  }
  return baseOf(one) === baseOf(other) && contentOf(one) === contentOf(other)
}
