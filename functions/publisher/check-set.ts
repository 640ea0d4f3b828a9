import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { EntitySettings } from '../runtime/settings.ts'
import type { RefusedChanges, SetManifest } from '../state/changes/changes.ts'
import type { ChangesLatest } from '../state/changes/changes-latest.ts'
import type { Proposal, WindowProposal } from '../state/changes/proposal.ts'
import { Damaged } from './check/damage.ts'
import type { Publisher } from './ports.ts'

/** What the publisher knows of an entity's sets by itself: from the deployment's settings. */
export interface SetRules
  extends Pick<EntitySettings, 'idField' | 'query' | 'totals' | 'totalTolerancePercent'> {
  readonly ignore: readonly string[]
  /** More deletes than this refuse a set; infinite if they are accepted. */
  readonly maxDeletePercent: number
  /** Undefined without increments. */
  readonly lookbackMinutes: number | undefined
}

export interface SetToCheck {
  /** As stored. The base is its tip. */
  readonly chain: ChangesLatest | undefined
  readonly proposal: Proposal | WindowProposal
  readonly rules: SetRules
  /** What a comparison refused and a person accepted. */
  readonly reviewed: RefusedChanges | undefined
}

export type SetCheck =
  | { readonly kind: 'checked'; readonly manifest: SetManifest }
  /** The window of an increment that found nothing is proven. */
  | { readonly kind: 'window' }
  | {
      readonly kind: 'refused'
      readonly reason: string
      readonly deleted: number
      readonly baseDocuments: number
    }
  | { readonly kind: 'checking' }

/** Whether a proposed set may be published. Throws `Damaged`. */
export async function checkSet(publisher: Publisher, { proposal }: SetToCheck): Promise<SetCheck> {
  if (proposal.kind === 'window') return { kind: 'window' }
  for (const { key, records, bytes, sha256 } of [...proposal.parts, ...proposal.withheldParts]) {
    const body = (await publisher.objects.read(key))?.bytes ?? Buffer.alloc(0)
    const found = hash('sha256', body)
    if (body.length !== bytes || found !== sha256)
      throw new Damaged(
        `${key} has ${body.length} bytes and the SHA-256 ${found}; ${bytes} and ${sha256} were proposed.`,
      )
    const lines = gunzipSync(body).filter((byte) => byte === 10).length
    if (lines !== records) throw new Damaged(`${key} has ${lines} records; ${records} were proposed.`)
  }
  if (proposal.kind !== 'increment') return { kind: 'checked', manifest: proposal }
  const { evidence: _evidence, ...manifest } = proposal
  return { kind: 'checked', manifest }
}
