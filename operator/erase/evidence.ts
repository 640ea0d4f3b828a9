import type { Erased, ErasePlan } from './erase.ts'
import type { Place } from './places.ts'

/** What an auditor wants to know: what was searched and found, and what was removed, by whom and when. */
export interface Evidence {
  readonly entity: string
  /** As it was asked: an id, or a field and its value. */
  readonly id?: string
  readonly where?: string
  /** The ids of the documents, as JSON. */
  readonly ids: readonly string[]
  readonly by: string
  /** When the search began, and when the erasure ended. ISO 8601. */
  readonly searchedAt: string
  readonly erasedAt: string | null
  /** The snapshot that does not contain the documents; null if none is published. */
  readonly published: { readonly runId: string; readonly openedAt: string | null } | null
  readonly searched: { readonly versions: number; readonly bytes: number }
  readonly found: readonly Place[]
  readonly chain: 'unchanged' | 'shortened' | 'reset'
  /** Null if nothing was removed. */
  readonly removed: Erased | null
}

export interface Circumstances {
  readonly by: string
  readonly searchedAt: number
  readonly erased?: { readonly at: number; readonly removed: Erased }
}

export function evidenceOf(plan: ErasePlan, { by, searchedAt, erased }: Circumstances): Evidence {
  const { request, stored, person, searched, places, removal } = plan
  const { wanted, entity } = request
  const { latest, snapshots } = stored
  const openedAt = snapshots.get(latest?.runId ?? '')?.manifest.openedAt ?? null
  return {
    entity,
    ...(wanted.by === 'id' ? { id: wanted.id } : { where: wanted.condition.text }),
    ids: [...person.ids],
    by,
    searchedAt: new Date(searchedAt).toISOString(),
    erasedAt: erased ? new Date(erased.at).toISOString() : null,
    published: latest ? { runId: latest.runId, openedAt } : null,
    searched: { versions: searched.versions, bytes: searched.bytes },
    found: places,
    chain: removal.chain.kind,
    removed: erased?.removed ?? null,
  }
}
