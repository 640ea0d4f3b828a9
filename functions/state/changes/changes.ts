/** An object of a change set: a gzip file with one record, or one withheld document, per line. */
export interface ChangePart {
  readonly key: string
  readonly records: number
  /** Size and SHA-256 (hex) of the object. */
  readonly bytes: number
  readonly sha256: string
}

/** How many snapshots in a row lack a withheld document and count towards its deletion. Two delete it. */
export type CountedAbsences = 0 | 1

export interface WithheldPart extends ChangePart {
  readonly countedAbsences: CountedAbsences
}

/** How old the content of a set is. Only with `eraseWithinDays`; unknown of sets that were published before. */
export interface ContentAge {
  /** The first run whose snapshot lacked the oldest content of the set's objects. */
  readonly absentSince?: string | undefined
  /** The same of its withheld documents; absent without any. */
  readonly withheldSince?: string | undefined
}

/** The state that a change set leads to. */
interface SetState {
  readonly version: 1
  /** Who accepted the set; absent if the guard had not refused it. */
  readonly by?: string
  readonly entity: string
  /** The run whose snapshot the set ends at. */
  readonly runId: string
  readonly idField: string
  /** Top-level fields that did not count in the comparison. */
  readonly ignore: readonly string[]
  /** Key of that snapshot's manifest. */
  readonly snapshot: string
  /** Documents of the state: those of the snapshot, each id once, and the withheld ones. */
  readonly stateDocuments: number
  /** The sum modulo 2^128 of the id hashes of the state, as 32 hex digits. */
  readonly stateIdSum: string
  readonly parts: readonly ChangePart[]
  /** The documents withheld after this set. */
  readonly withheldParts: readonly WithheldPart[]
}

export interface ChangeCounts {
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly unchanged: number
  /** Documents whose bytes changed and whose content did not. */
  readonly rewritten: number
  readonly withheld: number
  /** Documents of the state before the set. */
  readonly baseDocuments: number
}

/** Starts a chain. There is nothing to compare with, so readers load the snapshot. */
export interface ResetManifest extends SetState {
  readonly kind: 'reset'
  readonly base: null
  /** Why the chain starts again. */
  readonly reason: string
}

/** Leads from the state of the run `base` to that of the run `runId`. */
export interface ChangesManifest extends SetState, ChangeCounts, ContentAge {
  readonly kind: 'changes'
  readonly base: string
}

/** Describes a change set. Written after its parts and never changed once `latest.json` names it. */
export type SetManifest = ResetManifest | ChangesManifest

/** A change set that the guard refused: the comparison of the run `runId` with the tip `base`. */
export interface RefusedChanges {
  readonly version: 1
  readonly entity: string
  readonly runId: string
  readonly base: string
  readonly kind: SetManifest['kind']
  readonly refusedAt: string
  readonly reason: string
  /** Documents that it deletes, and those of the state before it. */
  readonly deleted: number
  readonly baseDocuments: number
}

/** A change set as `latest.json` lists it. A reset counts nothing. */
export interface SetSummary {
  readonly runId: string
  readonly base: string | null
  readonly kind: SetManifest['kind']
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly manifest: string
  /** As in the set's manifest. */
  readonly absentSince?: string
}

/** The content of `changes/<entity>/latest.json`. */
export interface ChangesLatest {
  /** The run whose snapshot the last set ends at. */
  readonly tip: string
  /** The sets that can be read, oldest first. The last one ends at the tip. */
  readonly sets: readonly SetSummary[]
  /** Whether the event of the last set was sent. */
  readonly announced: boolean
  /** Why the next set is a reset; null if it continues from the tip. */
  readonly reset: string | null
  /** Comparisons from the tip that failed for a reason that lasts; null if none did. */
  readonly failures: ComparisonFailures | null
}

export interface ComparisonFailures {
  readonly count: number
  /** Times of the first and of the last one. */
  readonly first: string
  readonly last: string
}

export const changesPrefix = (entity: string) => `changes/${entity}/`
export const setPrefix = (entity: string, runId: string) => `${changesPrefix(entity)}${runId}/`
export const setManifestKey = (entity: string, runId: string) => `${setPrefix(entity, runId)}manifest.json`
export const refusedChangesKey = (entity: string, runId: string) => `${setPrefix(entity, runId)}refused.json`
export const changesLatestKey = (entity: string) => `${changesPrefix(entity)}latest.json`

/** Lists the parts for Athena, one address per line. The dot keeps it apart from every entity's `tables/<entity>/`. */
export const changesTableKey = (entity: string) => `tables/${entity}.changes/parts.txt`

/** A part is named by its content, so that a repeated comparison writes the same objects. */
export const partKey = (
  set: { entity: string; runId: string },
  kind: 'records' | 'withheld',
  sha256: string,
) => `${setPrefix(set.entity, set.runId)}${kind}-${sha256.slice(0, 32)}.ndjson.gz`
