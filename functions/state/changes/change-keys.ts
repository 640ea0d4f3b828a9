import { changesFolder } from '../snapshots/manifest.ts'

export const changesPrefix = (entity: string) => `changes/${entity}/`
export const setPrefix = (entity: string, runId: string) => `${changesPrefix(entity)}${runId}/`
export const setManifestKey = (entity: string, runId: string) => `${setPrefix(entity, runId)}manifest.json`
export const refusedChangesKey = (entity: string, runId: string) => `${setPrefix(entity, runId)}refused.json`
export const unpublishedKey = (entity: string) => `${changesPrefix(entity)}unpublished.json`
export const changesLatestKey = (entity: string) => `${changesPrefix(entity)}latest.json`

/** Lists the parts for Athena, one address per line. */
export const changesTableKey = (entity: string) => `tables/${changesFolder(entity)}/parts.txt`

export const runOfPart = (key: string) => key.split('/').at(-2) ?? ''

/** Whether a part replaces those of several increments, which may be older. */
export const isCompactedPart = (key: string) => key.includes('/compacted-')

export const partKinds = ['records', 'withheld', 'compacted', 'delivered', 'reviewed'] as const
export type PartKind = (typeof partKinds)[number]

/** A part is named by its content, so that a repeated comparison writes the same objects. */
export const partKey = (set: { entity: string; runId: string }, kind: PartKind, sha256: string) =>
  `${setPrefix(set.entity, set.runId)}${kind}-${sha256.slice(0, 32)}.ndjson.gz`

/** What a part contains, as its name says. */
export const partKindOf = (key: string): PartKind | undefined =>
  partKinds.find((kind) => key.split('/').at(-1)?.startsWith(`${kind}-`))
