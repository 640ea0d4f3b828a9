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

export interface SetFolder {
  readonly entity: string
  readonly runId: string
}

/** `name` follows from its content, so that a repeated comparison finds it. */
export const partKey = ({ entity, runId }: SetFolder, kind: PartKind, name: string) =>
  `${setPrefix(entity, runId)}${kind}-${name}.ndjson.gz`

/** The manifest that a set would have. */
export const proposalKey = ({ entity, runId }: SetFolder, name: string) =>
  `${setPrefix(entity, runId)}proposal-${name}.json`

/** What a part contains, as its name says. */
export const partKindOf = (key: string): PartKind | undefined =>
  partKinds.find((kind) => key.split('/').at(-1)?.startsWith(`${kind}-`))

/** The prefix of the ids of runs that start at this time. Ids sort by time. */
export function runIdTime(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:.]/g, '')
}

/** In the format of Hive's SymlinkTextInputFormat: one address per line. */
export const listOf = (bucket: string, keys: readonly string[]): string =>
  keys.map((key) => `s3://${bucket}/${key}\n`).join('')

export const keysIn = (bucket: string, list: string): string[] =>
  list
    .split('\n')
    .slice(0, -1)
    .map((line) => line.slice(`s3://${bucket}/`.length))
