/**
 * The documents of the pool are numbered: distinct ones, identical ones, two twins, further versions of the distinct
 * ones, plain ones, then heavy ones in two versions.
 */
const distinct = 640
/** Documents without an id whose bytes are the same. */
const identical = 48
const firstTwin = distinct + identical
const firstVersion = firstTwin + 2
/** Versions of each distinct document: the first, the same content in another spelling, and other contents. */
const versions = 6
const firstPlain = firstVersion + (versions - 1) * distinct
/** Documents of one version that fill large entities. */
const plain = 4_000
const firstHeavy = firstPlain + plain
/** Bytes: some fill a part of a change set, or the buffer of a file, in twos and threes. */
export const heavySizes = [700_000, 700_000, 1_100_000, 2_500_000, 3_000_000, 3_000_000] as const
export const documentCount = firstHeavy + 2 * heavySizes.length

/** The field that versions change and that comparisons may ignore. */
export const ignorableField = 'seen'

/** Indexes of the first versions of documents with an identity of their own. */
export const distinctDocuments = distinct

/** Indexes of identical documents without an id. */
export const identicalDocuments: readonly number[] = Array.from(
  { length: identical },
  (_, at) => distinct + at,
)

export const plainDocuments: readonly number[] = Array.from({ length: plain }, (_, at) => firstPlain + at)

/** The number of a plain document; undefined for the others. */
export const plainNumber = (index: number): number | undefined =>
  index >= firstPlain && index < firstHeavy ? index - firstPlain : undefined

/** Indexes of the first versions of the heavy documents. */
export const heavyDocuments: readonly number[] = heavySizes.map((_, at) => firstHeavy + at)

/** True for both versions. */
export const isHeavy = (index: number): boolean => index >= firstHeavy

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
export function baseOf(index: number): number {
  if (isHeavy(index)) return firstHeavy + ((index - firstHeavy) % heavySizes.length)
  if (index >= firstPlain) return index
  return index < firstVersion ? canonical(index) : (index - firstVersion) % distinct
}

/** 0 for the first version. */
export function versionOf(index: number): number {
  if (isHeavy(index)) return Math.floor((index - firstHeavy) / heavySizes.length)
  return index < firstVersion || index >= firstPlain ? 0 : 1 + Math.floor((index - firstVersion) / distinct)
}

/** Another version of a document; `step` selects which. The same document if it has no versions. */
export function otherVersion(index: number, step: number): number {
  const base = baseOf(index)
  if (isHeavy(index)) return base === index ? index + heavySizes.length : base
  if (base >= distinct) return index
  const version = (versionOf(index) + 1 + (step % (versions - 1))) % versions
  return version === 0 ? base : firstVersion + (version - 1) * distinct + base
}

/** Whether two versions of one document are equal to a reader: by content, not by bytes. */
export function hasSameContent(one: number, other: number, ignore: readonly string[]): boolean {
  const contentOf = (index: number) => {
    const version = versionOf(index)
    if (isHeavy(index)) return version
    return version === 1 || (version === 4 && ignore.includes(ignorableField)) ? 0 : version
  }
  return baseOf(one) === baseOf(other) && contentOf(one) === contentOf(other)
}
