import type { Erased, ErasePlan } from './erase.ts'
import { mayContain, type Place } from './places.ts'

/** What an auditor wants to know: what was searched and found, and what was removed, by whom and when. */
export type ErasureEvidence = Asked & {
  readonly entity: string
  /** The ids of the documents, as JSON. */
  readonly ids: readonly string[]
  /** The values of documents that have what was asked for only in another form. */
  readonly otherForms: readonly string[]
  readonly by: string
  /** When the search began, and when the erasure ended. ISO 8601. */
  readonly searchedAt: string
  readonly erasedAt: string | null
  /** The snapshot that does not contain the documents; null if none is published. */
  readonly published: { readonly runId: string; readonly openedAt: string | null } | null
  readonly searched: { readonly versions: number; readonly bytes: number }
  /** Where documents are, and what is deleted in addition to it. */
  readonly found: readonly Place[]
  readonly deletedAsWell: readonly Pick<Place, 'kind' | 'runId' | 'versions'>[]
  readonly chain: 'unchanged' | 'shortened' | 'reset'
  /** Null if nothing was removed. */
  readonly removed: Erased | null
}

type Asked =
  /** `notCompared`: documents without an id. */
  | { readonly id: string; readonly notCompared: number }
  /** `withField`: documents that have the field. `withoutId`: those of the person that have no id. */
  | {
      readonly where: string
      readonly forms: 'exact' | 'any'
      readonly withField: number
      readonly withoutId: number
    }

export interface Circumstances {
  readonly by: string
  readonly searchedAt: number
  readonly erased?: { readonly at: number; readonly removed: Erased }
}

export function erasureEvidence(plan: ErasePlan, { by, searchedAt, erased }: Circumstances): ErasureEvidence {
  const { request, stored, person, noticed, searched, places, removal } = plan
  const { wanted, entity } = request
  const { latest, snapshots } = stored
  const openedAt = snapshots.get(latest?.runId ?? '')?.manifest.openedAt ?? null
  return {
    entity,
    ...(wanted.by === 'id'
      ? { id: wanted.id, notCompared: noticed.counted }
      : {
          where: wanted.condition.text,
          forms: wanted.forms,
          withField: noticed.counted,
          withoutId: person.withoutId.size,
        }),
    ids: [...person.ids],
    otherForms: noticed.otherForms,
    by,
    searchedAt: new Date(searchedAt).toISOString(),
    erasedAt: erased ? new Date(erased.at).toISOString() : null,
    published: latest ? { runId: latest.runId, openedAt } : null,
    searched: { versions: searched.versions, bytes: searched.bytes },
    found: places.filter(mayContain),
    deletedAsWell: places
      .filter((place) => !mayContain(place))
      .map(({ kind, runId, versions }) => ({ kind, runId, versions })),
    // An earlier erasure may have taken what readers need to begin.
    chain: stored.chain?.value.erased ? 'reset' : removal.chain.kind,
    removed: erased?.removed ?? null,
  }
}
