import type { IncrementResult } from '../run/increment-run.ts'
import type { Proof } from '../run/proof.ts'
import type { NamedObject } from '../snapshots/manifest.ts'

/** An object of a change set: a gzip file with one record, or one withheld document, per line. */
export interface ChangePart extends NamedObject {
  readonly records: number
}

/** How many snapshots in a row lack a withheld document and count towards its deletion. Two delete it. */
export type CountedAbsences = 0 | 1

export interface WithheldPart extends ChangePart {
  readonly countedAbsences: CountedAbsences
  /** True if an increment delivered these documents, so that an older snapshot neither deletes nor resets them. */
  readonly delivered?: true
}

/** An object with one entry for each version. */
export interface DeliveredVersions extends NamedObject {
  readonly versions: number
}

/** How old the content of a set is. Only with `eraseWithinDays`; unknown of sets that were published before. */
export interface ContentAge {
  /** The first run whose snapshot lacked the oldest content of the set's objects. */
  readonly absentSince?: string | undefined
  /** The same for its withheld documents; absent if there are none. */
  readonly withheldSince?: string | undefined
}

interface SetHead {
  readonly version: 1
  /** Who accepted the set; absent if the guard had not refused it. */
  readonly by?: string
  readonly entity: string
  /** The run whose snapshot the set ends at, or the increment's own run. */
  readonly runId: string
  readonly idField: string
  /** Top-level fields that did not count in the comparison. */
  readonly ignore: readonly string[]
  /** Key of the manifest of the chain's snapshot. */
  readonly snapshot: string
  /** SHA-256 (hex) of that manifest and of the base's. Absent if an older release published them; a reset has no base. */
  readonly snapshotSha256?: string
  readonly baseSha256?: string
  readonly parts: readonly ChangePart[]
  /** The documents withheld after this set. */
  readonly withheldParts: readonly WithheldPart[]
}

/** The state that a comparison leads to. */
interface SetState extends SetHead {
  /** Documents of the state: those of the snapshot, each id once, and the withheld ones. */
  readonly stateDocuments: number
  /** The sum modulo 2^128 of the id hashes of the state, as 32 hex digits. */
  readonly stateIdSum: string
  /**
   * The same sum of the hashes of its documents in canonical form, without the ignored fields. Absent from sets of 1.0.0
   * and until it is known.
   */
  readonly stateContentSum?: string | undefined
}

export interface ChangeCounts {
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly unchanged: number
  /** Documents whose bytes changed and whose content did not. */
  readonly rewritten: number
  readonly withheld: number
  /** Documents of which the snapshot has a version that is older than the delivered one; absent without increments. */
  readonly held?: number
  /** Documents of the state before the set. */
  readonly baseDocuments: number
}

/** What increments should have delivered. Only of a set that follows increments. */
export interface IncrementAudit {
  /** Records whose dates are in a window that increments had covered: the lookback is too short. */
  readonly missedByIncrements?: number
  /** Records whose dates are before it: the platform changed the documents without moving `updatedIn`. */
  readonly invisibleToIncrements?: number
}

/** Documents that readers keep because an increment delivered them too shortly before the snapshot was opened. */
export interface KeptByDelivery {
  /** How many of them the snapshot lacks; the others are held. */
  readonly withheld: number
  /** An increment delivered them less than so many minutes before. */
  readonly lagMinutes: number
  /** A snapshot that is opened then or later decides about all of them. ISO 8601. */
  readonly decidedFrom: string
}

/** Starts a chain. There is nothing to compare with, so readers load the snapshot. */
export interface ResetManifest extends SetState {
  readonly kind: 'reset'
  readonly base: null
  /** Why the chain starts again. */
  readonly reason: string
}

/** Leads from the state of the run `base` to that of the run `runId`. */
export interface ChangesManifest extends SetState, ChangeCounts, ContentAge, IncrementAudit {
  readonly kind: 'changes'
  readonly base: string
  /** Absent if there are none, and from sets of 1.1.0 and before. */
  readonly keptByDelivery?: KeptByDelivery
  /** What increments have delivered, with the versions of this set; absent if it has replaced none of them. */
  readonly delivered?: DeliveredVersions
}

/** Delivers what changed in a window. It does not contain deletes. */
export interface IncrementManifest extends SetHead, IncrementResult, Pick<ContentAge, 'withheldSince'> {
  readonly kind: 'increment'
  readonly base: string
  readonly proof: Proof
  /** Unknown until the next comparison. */
  readonly stateDocuments: null
  readonly stateIdSum: null
  /** The sums of its records, made like those of a state. Absent from sets of older releases. */
  readonly recordsIdSum?: string
  readonly recordsContentSum?: string
  /** `stateContentSum` of the chain's snapshot, to which the next comparison adds what has changed since. */
  readonly snapshotContentSum?: string
  /** The records of all increments since the chain's snapshot, these included: for readers that begin. */
  readonly incrementParts: readonly ChangePart[]
  /** What increments have delivered, this one included, as far as a later window can return it. */
  readonly delivered: DeliveredVersions
}

/** Describes the change set of a comparison. */
export type FullSetManifest = ResetManifest | ChangesManifest

/** Describes a change set. Written after its parts and never changed once `latest.json` names it. */
export type SetManifest = FullSetManifest | IncrementManifest

/** A change set that the guard refused: the comparison of the run `runId` with the tip `base`. */
export interface RefusedChanges {
  readonly version: 1
  readonly entity: string
  readonly runId: string
  readonly base: string
  /** The run of the chain's snapshot at that time; absent if it was the base. */
  readonly chainSnapshot?: string
  readonly kind: FullSetManifest['kind']
  readonly refusedAt: string
  readonly reason: string
  /** Documents that it deletes, and those of the state before it. */
  readonly deleted: number
  readonly baseDocuments: number
  /**
   * The id hashes of the documents that it deletes, one per line: an acceptance deletes no others. Absent from a reset,
   * which is not compared, and from what releases before 1.1.0 refused.
   */
  readonly reviewedParts?: readonly ChangePart[]
}
