import { isDeepStrictEqual } from 'node:util'
import { shortenedChain } from '../../stored/changes/chain-facts.ts'
import { withFailure, withoutComparison } from '../../stored/changes/chain-moves.ts'
import { changesLatestKey } from '../../stored/changes/change-keys.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import type { Note, NoteRequest, NoteResult } from '../../stored/changes/publication.ts'
import { listParts } from './pointers.ts'
import type { Publisher } from './ports.ts'
import { jsonContent, readChain } from './read-stored.ts'

/** Lambda has ended a comparison by then. */
const maxComparisonMs = 16 * 60_000

/** Changes what the chain records beside its sets, or drops its oldest ones. The tip never moves. */
export async function note(publisher: Publisher, request: NoteRequest): Promise<NoteResult> {
  const { objects, now } = publisher
  const { entity, tip } = request
  for (;;) {
    const stored = await readChain(publisher, entity)
    if (stored?.value.tip !== tip) return { kind: 'outdated' }
    const next = noted(stored.value, request.note, now())
    const isStored = isDeepStrictEqual(next, stored.value)
    if (!isStored && !(await objects.putIf(changesLatestKey(entity), stored, jsonContent(next)))) continue
    if (request.note.kind === 'shortened') await listParts(publisher, entity)
    return { kind: 'noted' }
  }
}

function noted(chain: ChangesLatest, note: Note, now: number): ChangesLatest {
  switch (note.kind) {
    case 'comparing':
      return {
        ...chain,
        comparing: { runId: note.runId, until: new Date(now + maxComparisonMs).toISOString() },
      }
    case 'compared':
      return chain.comparing?.runId === note.runId ? withoutComparison(chain) : chain
    case 'failed':
      return withFailure(withoutComparison(chain), { reason: note.reason, kind: note.cause, now })
    case 'announced':
      return { ...chain, announced: true }
    case 'reset':
      // It would be read as none.
      if (!note.reason) throw new Error('A chain that starts again needs a reason.')
      return { ...chain, reset: chain.reset ?? note.reason }
    case 'shortened': {
      const last = chain.sets.findIndex(({ runId }) => runId === note.through)
      return shortenedChain(chain, last + 1, note.reason ?? null)
    }
  }
}
