import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLinesFile, readLinesFile } from '../../lines-file.ts'

/** The content of an object. Its bytes are in the file of the version. */
export interface ObjectContent {
  readonly kind: 'object'
  readonly sizeBytes: number
  /** With quotes. */
  readonly etag: string
  /** What a response repeats: the type, the user's metadata, checksums. */
  readonly headers: Readonly<Record<string, string>>
}

export type VersionContent = ObjectContent | { readonly kind: 'delete-marker' }

export type Version<C extends VersionContent = VersionContent> = C & {
  readonly key: string
  readonly versionId: string
  /** Epoch milliseconds. */
  readonly writtenAt: number
}

export type ContentVersion = Version<ObjectContent>

type Change = { readonly written: Version } | { readonly removed: string }

export type Journal = ReturnType<typeof openJournal>

export const journalName = 'versions.ndjson'

/** Reads the journal of a folder, writes it again without what was removed, and deletes files that it does not name. */
export function openJournal(folder: string, isKept: (versions: readonly Version[]) => readonly Version[]) {
  const [file, contents] = [join(folder, journalName), join(folder, 'contents')]
  mkdirSync(contents, { recursive: true, mode: 0o700 })
  const versions = isKept(versionsOf(readLinesFile(file) as Change[]))
  const ids = new Set(versions.map(({ versionId }) => versionId))
  for (const name of readdirSync(contents)) if (!ids.has(name)) rmSync(join(contents, name))
  const lines = openLinesFile(
    file,
    versions.map((written) => ({ written })),
  )
  return {
    /** What earlier processes wrote and did not remove, oldest first. */
    versions,
    append: (changes: readonly Change[]) => lines.append(changes),
    /** Where the bytes of a version are. */
    fileOf: (versionId: string) => join(contents, versionId),
  }
}

/** What was written and not removed, oldest first. */
function versionsOf(changes: readonly Change[]): Version[] {
  const versions = new Map<string, Version>()
  for (const change of changes) {
    if ('removed' in change) versions.delete(change.removed)
    else versions.set(change.written.versionId, change.written)
  }
  return [...versions.values()]
}
